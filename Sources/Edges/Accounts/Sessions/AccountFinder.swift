import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation

/// Finds, merges or makes the account of a user who proved who they are.
struct AccountFinder {
    struct Found: Sendable {
        var account: AccountRecord
        var isNew = false
    }

    /// How often what was read may turn out to have changed before it was acted on.
    static let attempts = 4

    let parts: AccountParts
    let audit: AuditLog
    let keys: SessionKeys

    /// - Parameter name: the display name that came beside the token.
    func find(_ user: ProvenUser, name: String?) async throws -> Found {
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
        for _ in 0..<Self.attempts {
            if let found = try await attempt(user, name: name) { return found }
        }
        throw AccountDenial(.overloaded, reason: "the account was changed by others at the same time, again and again")
    }

    /// Nil: what was read is no longer so.
    private func attempt(_ user: ProvenUser, name: String?) async throws -> Found? {
        if let owner = try await parts.store.owner(of: user.link) { return try await known(owner, user, name: name) }
        if let email = user.email, claims(email), let holder = try await parts.store.uid(ofEmail: email.address) {
            guard try await merge(user, email, into: holder) else { return nil }
            return try await known(holder, user, name: name)
        }
        return try await create(user, name: name)
    }

    private func known(_ owner: UserKey, _ user: ProvenUser, name: String?) async throws -> Found {
        var account = try await parts.account(owner)
        try await parts.authorizer.require(owner, time: user.madeAt, isFirebase: account.created == nil)
        if account.name == nil, let name = name ?? user.name {
            try await parts.store.setNameIfAbsent(name, of: owner)
            account = try await parts.account(owner)
        }
        if try await adoptEmail(of: user, for: account) { account = try await parts.account(owner) }
        return Found(account: account)
    }

    /// Gives an account without an address the one that a linked identity's provider vouches for, and marks the one that it has as verified where
    /// it is the same.
    ///
    /// - Returns: false where the account stays as it is.
    private func adoptEmail(of user: ProvenUser, for account: AccountRecord) async throws -> Bool {
        guard !account.emailVerified, account.created != nil, !account.unlinked.hasMore, let email = user.email,
            email.isVerified, !email.isPrivate, account.email?.isExactly(email.address) ?? true
        else { return false }
        return try await parts.store.setEmail(
            email.address, verified: true, from: user.link, of: account.user, claimsEmail: claims(email))
    }

    private func create(_ user: ProvenUser, name: String?) async throws -> Found? {
        let account = AccountRecord(
            user: UserKey(uid: RandomText.name(), tenant: nil), email: user.email?.address,
            emailVerified: user.email?.isVerified ?? false,
            emailFrom: user.email == nil ? nil : user.link.provider,
            name: name ?? user.name, created: UnixTime(clamping: parts.clock.now()),
            links: [user.link.provider: user.link.subject])
        let claimsEmail = user.email.map(claims) ?? false
        switch try await parts.store.createAccount(account, claimsEmail: claimsEmail) {
        case .created: return Found(account: account, isNew: true)
        case .linkTaken, .emailTaken: return nil
        }
    }

    /// Whether an address says whose account it is. One that Apple made says that of nobody.
    private func claims(_ email: ProvenEmail) -> Bool { parts.settings.oneAccountPerEmail && !email.isPrivate }
}

extension AccountFinder {
    /// Lets an identity come to the account that has its address: only where its provider vouches for the address, and nobody who did not
    /// prove the address stays in the account.
    ///
    /// - Returns: false where the identity, or the account, belongs to somebody else by now.
    private func merge(_ user: ProvenUser, _ email: ProvenEmail, into holder: UserKey) async throws -> Bool {
        let account = try await parts.account(holder)
        // Who was put out of the account comes back by its user's own call alone.
        guard email.isVerified, !account.unlinked.mayContain(user.link) else {
            throw try conflict(user, with: account)
        }
        // Who squats on an address could revoke the account again and again, and so keep it from its owner, whose sign-in is always a little
        // older. A takeover revokes all of it anyway.
        let time = account.emailVerified ? user.madeAt : .latest
        try await parts.authorizer.require(holder, time: time, isFirebase: account.created == nil)
        guard account.emailVerified else {
            // Of an account that was not made here, ending its links puts nobody out: its user signs in where it was made.
            guard account.created != nil else { throw try conflict(user, with: account) }
            return try await takeOver(account, by: user, email)
        }
        // The provider gave the address to somebody else since.
        if let subject = account.links[user.link.provider], !subject.utf8.elementsEqual(user.link.subject.utf8) {
            throw try conflict(user, with: account)
        }
        switch try await parts.store.claim(user.link, for: holder, unlessUnlinked: true) {
        case .linked:
            audit.record(.merge, of: holder, provider: user.link.provider)
            return true
        case .alreadyLinked: return true
        case .taken: return false
        case .providerTaken, .unlinked: throw try conflict(user, with: account)
        }
    }

    /// Whoever made the account never proved that the address is theirs. They are put out before who did comes in.
    ///
    /// The store orders that: every session that began before is revoked, and a sign-in that goes on meanwhile finds its identity unlinked or
    /// its session revoked.
    private func takeOver(_ account: AccountRecord, by user: ProvenUser, _ email: ProvenEmail) async throws -> Bool {
        let owner = account.user
        try await parts.store.revoke(owner, at: parts.clock.now(), .everything)
        try await parts.store.releaseAll(of: owner, for: user.link)
        switch try await parts.store.claim(user.link, for: owner, unlessUnlinked: true) {
        case .linked, .alreadyLinked: break
        case .taken, .providerTaken, .unlinked: return false
        }
        let isSet = try await parts.store.setEmail(
            email.address, verified: true, from: user.link, of: owner, claimsEmail: true)
        guard isSet else { return false }
        audit.record(.takeover, of: owner, provider: user.link.provider)
        throw AccountDenial.signInAgain("the account's address was verified by this sign-in, which is older than that")
    }

    private func conflict(_ user: ProvenUser, with account: AccountRecord) throws(AccountDenial) -> AccountDenial {
        let pending = try PendingToken.link(user, to: account.user)
        var denial = try Conflict(parts: parts, keys: keys).denial(.accountExists, user, pending)
        if !parts.settings.hideAccountExistence {
            var text = ObjectText()
            text.add("providers", account.links.keys.sorted())
            denial.members = (denial.members ?? []) + [UInt8(ascii: ",")] + text.members
        }
        return AccountDenial(denial, reason: "the address belongs to another account")
    }
}

/// An answer that tells the client of an account that is not its own, with what may be done about it.
struct Conflict {
    let parts: AccountParts
    let keys: SessionKeys

    /// - Parameter pending: the token that the client gets instead of the proof that it used.
    func denial(
        _ code: DecisionCode, _ user: ProvenUser, _ pending: PendingToken
    ) throws(AccountDenial) -> Denial {
        var denial = Denial(code)
        var text = ObjectText()
        text.add("pending_token", try PendingTokens(keys: keys).text(of: pending, now: parts.clock.now()))
        if !parts.settings.hideAccountExistence, let email = user.email { text.add("email", email.address) }
        denial.members = text.members
        return denial
    }
}
