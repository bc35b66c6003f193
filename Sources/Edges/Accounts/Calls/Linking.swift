import Authentication
import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation

/// The linking of one identity to the account of one caller.
struct Linking {
    let parts: AccountParts
    let caller: Principal
    /// The account at the start of the call.
    let account: AccountRecord
    let consents: Bool
    let keys: SessionKeys
    let audit: AuditLog

    func checkConsent(_ user: ProvenUser) throws(AccountDenial) {
        guard !consents, ConsentRule(account: account, caller: caller).requiresConsent(to: user) else { return }
        throw AccountDenial(.consentRequired)
    }

    /// Links an identity and returns the account after linking.
    func link(_ user: ProvenUser) async throws -> AccountRecord {
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
        try checkProvider(user)
        let owner = try await IdentityOwner(parts: parts, audit: audit).find(user, for: caller.user)
        if let owner, owner != caller.user { throw try inUse(user) }
        try await checkEmail(user)
        switch try await parts.store.claim(user.link, for: caller.user, unlessUnlinked: false) {
        case .linked: try await completeLink(user)
        case .alreadyLinked: break
        case .taken, .unlinked: throw try inUse(user)
        case .providerTaken: throw AccountDenial(.providerLinked)
        case .deleted: throw AccountDenial(.userDisabled, reason: "the account was deleted meanwhile")
        }
        return try await parts.account(caller.user)
    }

    /// Rejects a provider for which the account's own credential lists a different identity.
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

    /// Performs the steps after a new link.
    private func completeLink(_ user: ProvenUser) async throws {
        try await unlinkIfRevoked(user)
        try await adoptEmail(user)
        if account.name == nil, let name = user.name { try await parts.store.setNameIfAbsent(name, of: caller.user) }
        audit.record(.link, of: caller.user, provider: user.link.provider, consent: consents)
    }

    /// Removes the link if the caller was revoked meanwhile. A takeover revokes the account first and then releases its
    /// links. A check after linking therefore either sees the revocation, or the link was made before the release.
    private func unlinkIfRevoked(_ user: ProvenUser) async throws {
        do {
            try await parts.authorizer.require(caller, isRecent: false)
        } catch {
            if case .last = try await parts.store.release(provider: user.link.provider, of: caller.user) {
                try await parts.store.releaseAll(of: caller.user)
            }
            throw error
        }
    }

    /// Gives the account an address if it has none, or marks its address as verified.
    ///
    /// An account that the gateway did not create receives only a verified address. Its user also signs in elsewhere
    /// and could not be removed when the owner of the address signs in.
    private func adoptEmail(_ user: ProvenUser) async throws {
        guard let email = user.email, email.isVerified || account.created != nil else { return }
        let known = account.email ?? ConsentRule(account: account, caller: caller).email?.address
        let isVouchedFor =
            email.isVerified && !account.emailVerified
            && account.email?.utf8.elementsEqual(email.address.utf8) == true
        guard known == nil || isVouchedFor else { return }
        // If another account claims the address concurrently, this one remains without.
        _ = try await parts.store.setEmail(
            email.address, verified: email.isVerified, from: user.link, of: caller.user,
            claimsEmail: parts.settings.oneAccountPerEmail && !email.isPrivate)
    }
}

/// The rule on whether the user must consent before an anonymous account is connected with identifying data, or vice
/// versa.
///
/// Apple's guidelines require it for "Hide My Email": an address, a phone number or a social account must not be
/// connected with an anonymised Apple ID without the user's explicit consent.
struct ConsentRule {
    let account: AccountRecord
    let caller: Principal

    func requiresConsent(to user: ProvenUser) -> Bool {
        isAnonymous != (user.email?.isPrivate ?? false)
    }

    /// The account's address: the stored one, or the credential's if the gateway did not create the account.
    var email: ProvenEmail? {
        account.email == nil && account.created == nil ? ProvenEmail(caller.claims.root) : nil
    }

    /// Whether the account is identified only by an anonymised Apple ID.
    private var isAnonymous: Bool {
        let isRelay = account.email.map(ProvenEmail.isRelay) ?? email?.isPrivate ?? false
        return isRelay && kinds.allSatisfy { $0.utf8.elementsEqual("apple.com".utf8) }
    }

    private var kinds: [String] {
        guard account.created == nil else { return Array(account.links.keys) }
        return account.links.keys + caller.identityKinds.filter { !$0.utf8.elementsEqual("email".utf8) }
    }
}
