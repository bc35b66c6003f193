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
    /// The change of the caller's session. `nil` if the caller has no session of the gateway.
    let rotation: SessionRotation?

    init(
        _ parts: AccountParts, _ caller: Principal, _ account: AccountRecord, consents: Bool, _ call: AccountCall
    ) throws {
        self.parts = parts
        self.caller = caller
        self.account = account
        self.consents = consents
        keys = try parts.keys
        audit = parts.auditLog(call)
        rotation = SessionRotation(caller, call, parts)
    }

    func checkConsent(_ user: ProvenUser) throws(AccountDenial) {
        guard !consents, ConsentRule(account: account, caller: caller).requiresConsent(to: user) else { return }
        throw AccountDenial(.consentRequired)
    }

    /// Links an identity. Returns the account after linking, and the cookie of the session under its new name, if any.
    ///
    /// The session changes its name first, so that no failure leaves the link with the earlier name. If linking fails
    /// afterwards, the denial has the new cookie. If the gateway ends in between, the session ends without a link. A
    /// link that Firebase itself lists may be made before: any sign-in makes it.
    func link(_ user: ProvenUser) async throws -> (account: AccountRecord, cookie: SessionCookie?) {
        try await parts.authorizer.require(UserKey(user.link), time: user.madeAt)
        try checkProvider(user)
        let owner = try await IdentityOwner(parts: parts, audit: audit).find(user, for: caller.user)
        if let owner, owner != caller.user { throw try inUse(user) }
        try await checkEmail(user)
        let evidence = try await owner == nil ? self.evidence() : nil
        // The store decides. This only avoids that a denied call changes the session's name.
        if owner == nil, account.links[user.link.provider] != nil { throw AccountDenial(.providerLinked) }
        let renamed = try await rotation?.rotate()
        do {
            try await claim(user, evidence, session: renamed?.name)
            return (try await parts.account(caller.user), renamed?.cookie)
        } catch {
            var denial = AccountDenial(of: error)
            denial.cookie = renamed?.cookie
            throw denial
        }
    }

    /// Makes the link. `session` is the new name of the caller's session, if it has changed.
    private func claim(_ user: ProvenUser, _ evidence: FirebaseEvidence?, session: String?) async throws {
        let claim = try await parts.store.claim(
            user.link, for: caller.user, unlessUnlinked: false, evidence: evidence)
        switch claim {
        case .linked: try await completeLink(user, session: session)
        case .alreadyLinked: break
        case .taken, .unlinked: throw try inUse(user)
        case .providerTaken: throw AccountDenial(.providerLinked)
        case .deleted: throw AccountDenial(.userDisabled, reason: "the account was deleted meanwhile")
        }
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
    private func completeLink(_ user: ProvenUser, session: String?) async throws {
        try await unlinkIfRevoked(user, session: session)
        try await adoptEmail(user)
        if account.name == nil, let name = user.name { try await parts.store.setNameIfAbsent(name, of: caller.user) }
        audit.record(.link, of: caller.user, provider: user.link.provider, consent: consents)
    }

    /// Removes the link if the caller was revoked meanwhile. A takeover revokes the account first and then releases its
    /// links. A check after linking therefore either sees the revocation, or the link was made before the release.
    private func unlinkIfRevoked(_ user: ProvenUser, session: String?) async throws {
        do {
            try await parts.authorizer.require(caller, maximumAge: nil, session: session)
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

// The links of Firebase users.
extension Linking {
    /// The maximum number of names that are compared with those of the Firebase account.
    private static let maximumNames = 64

    /// Returns the name in Firebase on which the link depends. `nil` if the gateway created the account, or if it does
    /// not query Firebase about links.
    ///
    /// Firebase gives an account whose address is not verified to the first user who proves the address at a provider.
    /// It removes the previous user's password, telephone number and identities then, and does not know of links here.
    /// A previous user who registered the address of another could keep access by such a link (pre-hijacking).
    /// Therefore the caller needs a verified address, and the link ends when Firebase does not list it any more. An
    /// identity that Firebase lists serves too, because Firebase removes it in that case. Without queries, the
    /// credential must state a verified address.
    private func evidence() async throws(AccountDenial) -> FirebaseEvidence? {
        guard account.created == nil else { return nil }
        let email = ProvenEmail(caller.claims.root).flatMap { $0.isVerified ? $0.address : nil }
        guard let users = parts.firebaseUsers else {
            guard email != nil else { throw AccountDenial(.unverifiedEmail) }
            return nil
        }
        let names = [email.map(FirebaseName.email)].compactMap(\.self) + caller.federatedNames
        let candidates = names.prefix(Self.maximumNames).map { FirebaseEvidence(project: users.project, name: $0) }
            .filter { FirebaseEvidence(text: $0.text) == $0 }
        let listed = try await parts.authorizer.listed(
            candidates, by: caller.user, notBefore: parts.clock.monotonic())
        guard let listed else { throw AccountDenial(.unverifiedEmail) }
        return listed
    }
}

extension Principal {
    /// The identities at providers in the credential's claims, as Firebase names them.
    fileprivate var federatedNames: [FirebaseName] {
        identityKinds.flatMap { provider -> [FirebaseName] in
            guard let ids = identities(at: provider)?.elements else { return [] }
            return ids.compactMap(\.string).map { FirebaseName.identity(provider: provider, id: $0) }
        }
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
