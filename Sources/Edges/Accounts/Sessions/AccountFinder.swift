import GatewayConfiguration
import GatewayCore
import Revocation

/// The search for a proven user's account, which may merge or create one.
struct AccountFinder {
    struct Found: Sendable {
        var account: AccountRecord
        var isNew = false
    }

    /// The maximum number of attempts if the data changes between reading and writing.
    static let attempts = 4

    let parts: AccountParts
    let audit: AuditLog
    let keys: SessionKeys
    /// When the call began, in monotonic nanoseconds: one status of a Firebase user serves all checks since then.
    private let began: UInt64

    init(parts: AccountParts, audit: AuditLog, keys: SessionKeys) {
        (self.parts, self.audit, self.keys) = (parts, audit, keys)
        began = parts.clock.monotonic()
    }

    /// Finds or creates the account. `name` is the display name that the client sent with the token.
    func find(_ user: ProvenUser, name: String?) async throws -> Found {
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
        for _ in 0..<Self.attempts {
            if let found = try await attempt(user, name: name) { return found }
        }
        throw AccountDenial(.overloaded, reason: "the account was repeatedly changed concurrently")
    }

    /// Makes one attempt. `nil` if the data changed meanwhile.
    private func attempt(_ user: ProvenUser, name: String?) async throws -> Found? {
        if let owner = try await IdentityOwner(parts: parts, audit: audit, began: began).find(user) {
            return try await known(owner, user, name: name)
        }
        // A deletion revokes the identity's credentials before it removes the link, so it is visible here.
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
        if let email = user.email, claims(email), let holder = try await parts.store.uid(ofEmail: email.address) {
            guard try await merge(user, email, into: holder) else { return nil }
            return try await known(holder, user, name: name)
        }
        return try await create(user, name: name)
    }

    /// Returns the account of a linked identity. `nil` if its deletion was interrupted and is complete now.
    private func known(_ owner: UserKey, _ user: ProvenUser, name: String?) async throws -> Found? {
        var account = try await parts.account(owner)
        do {
            try await parts.authorizer.require(
                owner, time: user.madeAt, isFirebase: account.isFirebase(as: user.link),
                evidence: account.evidence(of: user.link), accountSince: began)
        } catch let denial as AccountDenial where denial.denial.code == .userDisabled {
            guard try await parts.store.completeDeletion(of: owner, holding: user.link) else { throw denial }
            return nil
        }
        if account.name == nil, !account.chosen.contains(.name), let name = name ?? user.name {
            try await parts.store.setNameIfAbsent(name, of: owner)
            account = try await parts.account(owner)
        }
        if try await adoptEmail(of: user, for: account) { account = try await parts.account(owner) }
        return Found(account: account)
    }

    /// Gives an account without an address the verified one of a linked identity, or marks the same address as
    /// verified. Returns `false` if the account does not change.
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

    /// Returns whether an address determines the account. Apple's relay addresses do not.
    private func claims(_ email: ProvenEmail) -> Bool { parts.settings.oneAccountPerEmail && !email.isPrivate }
}

extension AccountFinder {
    /// Links an identity to the account with its address. This requires a verified address, and removes users who did
    /// not prove the address. Returns `false` if the identity or the account has a different owner meanwhile.
    private func merge(_ user: ProvenUser, _ email: ProvenEmail, into holder: UserKey) async throws -> Bool {
        let account = try await parts.account(holder)
        // An identity that was removed from the account can return only by an action of its user.
        guard email.isVerified, !account.unlinked.mayContain(user.link) else {
            throw try accountExists(user, account)
        }
        // For an unverified address all revocations are ignored here. Otherwise a squatter could lock out the owner by
        // revoking the account repeatedly. A takeover revokes everything anyway.
        let time = account.emailVerified ? user.madeAt : .latest
        try await parts.authorizer.require(holder, time: time, isFirebase: account.created == nil)
        guard account.emailVerified else {
            // Releasing the links of an account that the gateway did not create removes no user, because they sign in
            // elsewhere.
            guard account.created != nil else { throw try accountExists(user, account) }
            return try await takeOver(account, by: user, email)
        }
        // The provider has since assigned the address to another user.
        if let subject = account.links[user.link.provider], !subject.utf8.elementsEqual(user.link.subject.utf8) {
            throw try accountExists(user, account)
        }
        switch try await parts.store.claim(user.link, for: holder, unlessUnlinked: true) {
        case .linked:
            audit.record(.merge, of: holder, provider: user.link.provider)
            return true
        case .alreadyLinked: return true
        case .taken, .deleted: return false
        case .providerTaken, .unlinked: throw try accountExists(user, account)
        }
    }

    /// Transfers an account with an unverified address to the user who proved it. Its previous users are removed first.
    ///
    /// The store orders these steps. Every earlier session is revoked. A concurrent sign-in finds its identity unlinked
    /// or its session revoked.
    private func takeOver(_ account: AccountRecord, by user: ProvenUser, _ email: ProvenEmail) async throws -> Bool {
        let owner = account.user
        try await parts.store.revoke(owner, at: parts.clock.now(), .everything)
        try await parts.store.releaseAll(of: owner, for: user.link)
        switch try await parts.store.claim(user.link, for: owner, unlessUnlinked: true) {
        case .linked, .alreadyLinked: break
        case .taken, .providerTaken, .unlinked, .deleted: return false
        }
        let isSet = try await parts.store.setEmail(
            email.address, verified: true, from: user.link, of: owner, claimsEmail: true)
        guard isSet else { return false }
        audit.record(.takeover, of: owner, provider: user.link.provider)
        throw AccountDenial.signInAgain("the account's address was verified after this sign-in")
    }

    private func accountExists(
        _ user: ProvenUser, _ account: AccountRecord
    ) throws(AccountDenial) -> AccountDenial {
        try Conflict(parts: parts, keys: keys).accountExists(user, account)
    }
}

/// A denial because another account is concerned, with a pending token for the next step.
struct Conflict {
    let parts: AccountParts
    let keys: SessionKeys

    /// Creates the denial because the address belongs to an account, whose user may link the identity.
    func accountExists(_ user: ProvenUser, _ account: AccountRecord) throws(AccountDenial) -> AccountDenial {
        var denial = try denial(.accountExists, user, try PendingToken.link(user, to: account.user))
        if !parts.settings.hideAccountExistence {
            var text = ObjectText()
            text.add("providers", account.links.keys.sorted())
            denial.members = (denial.members ?? []) + [UInt8(ascii: ",")] + text.members
        }
        return AccountDenial(denial, reason: "the address belongs to another account")
    }

    /// Creates the denial. The token `pending` replaces the used proof.
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
