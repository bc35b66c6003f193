import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation

/// The linking of one identity to the account of one caller.
struct Linking {
    let parts: AccountParts
    let caller: Principal
    /// As it was when the call came.
    let account: AccountRecord
    let consents: Bool
    let keys: SessionKeys
    let audit: AuditLog

    func checkConsent(_ user: ProvenUser) throws(AccountDenial) {
        guard !consents, ConsentRule(account: account, caller: caller).asksConsent(to: user) else { return }
        throw AccountDenial(.consentRequired)
    }

    /// - Returns: the account as it is then.
    func link(_ user: ProvenUser) async throws -> AccountRecord {
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
        try checkProvider(user)
        if let owner = try await parts.store.owner(of: user.link), owner != caller.user { throw try inUse(user) }
        try await checkEmail(user)
        switch try await parts.store.claim(user.link, for: caller.user, unlessUnlinked: false) {
        case .linked: try await completeLink(user)
        case .alreadyLinked: break
        case .taken, .unlinked: throw try inUse(user)
        case .providerTaken: throw AccountDenial(.providerLinked)
        }
        return try await parts.account(caller.user)
    }

    /// What the account's own credential lists of the provider is another user's there.
    private func checkProvider(_ user: ProvenUser) throws(AccountDenial) {
        guard account.created == nil, let identities = caller.identities(at: user.link.provider),
            !identities.elements.contains(where: { $0.equals(user.federatedID) })
        else { return }
        throw AccountDenial(.providerLinked)
    }

    private func inUse(_ user: ProvenUser) throws(AccountDenial) -> AccountDenial {
        AccountDenial(try Conflict(parts: parts, keys: keys).denial(.credentialInUse, user, .signIn(user)))
    }

    private func checkEmail(_ user: ProvenUser) async throws {
        guard parts.settings.oneAccountPerEmail, let email = user.email, !email.isPrivate,
            let holder = try await parts.store.uid(ofEmail: email.address), holder != caller.user
        else { return }
        var denial = Denial(.emailInUse)
        if !parts.settings.hideAccountExistence {
            var text = ObjectText()
            text.add("email", email.address)
            denial.members = text.members
        }
        throw AccountDenial(denial)
    }

    /// What follows a new link.
    private func completeLink(_ user: ProvenUser) async throws {
        try await withdrawUnlessAllowed(user)
        try await adoptEmail(user)
        if account.name == nil, let name = user.name { try await parts.store.setNameIfAbsent(name, of: caller.user) }
        audit.record(.link, of: caller.user, provider: user.link.provider, consent: consents)
    }

    /// Somebody who is put out of the account first has the account revoked and then its links released. Whoever looks again after linking
    /// either sees the revocation, or had linked before the release.
    private func withdrawUnlessAllowed(_ user: ProvenUser) async throws {
        do {
            try await parts.authorizer.require(caller, isRecent: false)
        } catch {
            if case .last = try await parts.store.release(provider: user.link.provider, of: caller.user) {
                try await parts.store.releaseAll(of: caller.user)
            }
            throw error
        }
    }

    /// An account without an address inherits one; the address that it has may be vouched for now.
    ///
    /// One that was not made here takes only an address that is vouched for: its user signs in elsewhere too, and could not be put out when the
    /// address's owner comes.
    private func adoptEmail(_ user: ProvenUser) async throws {
        guard let email = user.email, email.isVerified || account.created != nil else { return }
        let known = account.email ?? ConsentRule(account: account, caller: caller).email?.address
        let isVouchedFor =
            email.isVerified && !account.emailVerified
            && account.email?.utf8.elementsEqual(email.address.utf8) == true
        guard known == nil || isVouchedFor else { return }
        // Where another account was faster, this one stays without.
        _ = try await parts.store.setEmail(
            email.address, verified: email.isVerified, from: user.link, of: caller.user,
            claimsEmail: parts.settings.oneAccountPerEmail && !email.isPrivate)
    }
}

/// Whether a user has to be asked before an account that hides who they are is connected with what tells it, or the other way round.
///
/// Apple's guidelines ask that of whoever takes "Hide My Email": an address, a phone number or a social account must not be connected with
/// an anonymised Apple ID without the user's explicit consent.
struct ConsentRule {
    let account: AccountRecord
    let caller: Principal

    func asksConsent(to user: ProvenUser) -> Bool {
        isAnonymous != (user.email?.isPrivate ?? false)
    }

    /// The account's address: the stored one; of an account that was not made here what its credential says.
    var email: ProvenEmail? {
        account.email == nil && account.created == nil ? ProvenEmail(caller.claims.root) : nil
    }

    /// Whether nothing but an anonymised Apple ID is known of the account.
    private var isAnonymous: Bool {
        let isRelay = account.email.map(ProvenEmail.isRelay) ?? email?.isPrivate ?? false
        return isRelay && kinds.allSatisfy { $0.utf8.elementsEqual("apple.com".utf8) }
    }

    private var kinds: [String] {
        guard account.created == nil else { return Array(account.links.keys) }
        return account.links.keys + caller.identityKinds.filter { !$0.utf8.elementsEqual("email".utf8) }
    }
}
