import Authentication
import Authorization
import GatewayCore
import JOSE
import Revocation

/// The search for the owner of a proven identity: the user of the store's link, compared with Firebase.
///
/// A link from Firebase is valid only while Firebase lists its evidence. An identity without a link belongs to the
/// Firebase user who has it.
struct IdentityOwner {
    let parts: AccountParts
    let audit: AuditLog
    /// The earliest time of the status of a Firebase user, in monotonic nanoseconds: when the call began.
    let began: UInt64

    init(parts: AccountParts, audit: AuditLog, began: UInt64? = nil) {
        self.parts = parts
        self.audit = audit
        self.began = began ?? parts.clock.monotonic()
    }

    /// Returns the owner of an identity. `nil` without an owner.
    ///
    /// - Parameter caller: The user of the call. No link is made for a different owner. `nil` for a sign-in.
    func find(_ user: ProvenUser, for caller: UserKey? = nil) async throws -> UserKey? {
        for _ in 0..<AccountFinder.attempts {
            guard let owner = try await parts.store.owner(of: user.link) else {
                guard let found = try await parts.firebaseUsers?.user(of: user, notBefore: began)
                else { return nil }
                if let caller, caller != found.user { return found.user }
                guard try await claim(user, for: found) else { continue }
                return found.user
            }
            let account = try await parts.account(owner)
            if let evidence = account.evidence(of: user.link) {
                try await confirm(evidence, of: owner, user.link)
                // Another name is no evidence that the user has the identity too.
                let identity = FirebaseName.identity(provider: user.link.provider, id: user.federatedID)
                if evidence.name != identity { try await compare(owner, user) }
            } else if let users = parts.firebaseUsers, account.created == nil, !account.lists(user.link) {
                guard try await complete(user, of: owner, users) else { continue }
            } else {
                try await compare(owner, user)
            }
            return owner
        }
        throw AccountDenial(.overloaded, reason: "the identity was repeatedly linked and unlinked concurrently")
    }

    /// Lists the link of an identity that an interrupted or concurrent call took for a Firebase user. Whether it is a
    /// link from Firebase is not known, so that it gets evidence in any case, which the next round compares. Returns
    /// whether Firebase listed the identity just now.
    private func complete(_ user: ProvenUser, of owner: UserKey, _ users: FirebaseUsers) async throws -> Bool {
        if let found = try await users.user(of: user, notBefore: began), found.user == owner {
            return try await claim(user, for: found)
        }
        let name = FirebaseName.identity(provider: user.link.provider, id: user.federatedID)
        _ = try await parts.store.claim(
            user.link, for: owner, unlessUnlinked: false,
            evidence: FirebaseEvidence(project: users.project, name: name))
        return false
    }

    /// Rejects a link that is not evident from the identity itself if a different Firebase user has the identity. One
    /// of both would otherwise be a second uid of the same person.
    private func compare(_ owner: UserKey, _ user: ProvenUser) async throws {
        guard let found = try await parts.firebaseUsers?.user(of: user, notBefore: parts.oldestFirebaseStatus),
            found.user != owner
        else { return }
        throw AccountDenial.firebaseMismatch("the identity belongs to an account and to a different Firebase user")
    }

    /// Rejects and removes a link whose evidence the Firebase account does not list any more.
    private func confirm(_ evidence: FirebaseEvidence, of owner: UserKey, _ link: IdentityLink) async throws {
        guard parts.firebaseUsers != nil else {
            throw AccountDenial.firebaseMismatch("the link is from Firebase, and firebase_users is off")
        }
        guard try await !parts.authorizer.isListed(evidence, by: owner, notBefore: began) else { return }
        if try await parts.store.evict(link, of: owner, evidence: evidence) {
            audit.record(.evict, of: owner, provider: link.provider)
        }
        throw AccountDenial.signInAgain("the identity is not linked to the user in Firebase any more")
    }

    /// Links an identity to the Firebase user who has it. Returns `false` if the identity has an owner meanwhile.
    private func claim(_ user: ProvenUser, for found: FirebaseUsers.Found) async throws -> Bool {
        // Firebase's own list takes precedence over an earlier removal of the link. An address does not.
        let isAddress = if case .email = found.evidence.name { true } else { false }
        let claim = try await parts.store.claim(
            user.link, for: found.user, unlessUnlinked: isAddress, evidence: found.evidence)
        switch claim {
        case .linked: audit.record(.resolve, of: found.user, provider: user.link.provider)
        case .alreadyLinked: break
        case .taken: return false
        case .providerTaken: return try await replace(user.link.provider, of: found.user)
        case .unlinked:
            let conflict = Conflict(parts: parts, keys: try parts.keys)
            throw try conflict.accountExists(user, try await parts.account(found.user))
        case .deleted: throw AccountDenial(.userDisabled, reason: "the account was deleted")
        }
        return true
    }

    /// Removes the link to another identity of the provider, if it is from Firebase and Firebase does not list it any
    /// more. Returns `false`, since the identity is not linked yet.
    private func replace(_ provider: String, of user: UserKey) async throws -> Bool {
        let account = try await parts.account(user)
        guard let subject = account.links[provider] else { return false }
        let link = IdentityLink(provider: provider, subject: subject)
        guard let evidence = account.evidence(of: link),
            try await !parts.authorizer.isListed(evidence, by: user, notBefore: began)
        else {
            throw AccountDenial.firebaseMismatch("the account has another identity of the provider than in Firebase")
        }
        if try await parts.store.evict(link, of: user, evidence: evidence) {
            audit.record(.evict, of: user, provider: provider)
        }
        return false
    }
}

extension AccountRecord {
    /// Whether the account lists a link. The store may have taken the identity for the account before.
    fileprivate func lists(_ link: IdentityLink) -> Bool {
        links[link.provider]?.utf8.elementsEqual(link.subject.utf8) == true
    }
}

extension AccountParts {
    /// The earliest time of a cached status of a Firebase user, in monotonic nanoseconds.
    var oldestFirebaseStatus: UInt64 {
        let now = clock.monotonic()
        return now > maxStaleness ? now - maxStaleness : 0
    }
}

extension StrictAuthorizer {
    /// Returns whether the Firebase account of a user lists a name, like `listed(_:by:notBefore:)`.
    func isListed(
        _ evidence: FirebaseEvidence, by user: UserKey, notBefore: UInt64
    ) async throws(AccountDenial) -> Bool {
        try await listed([evidence], by: user, notBefore: notBefore) != nil
    }

    /// Returns the first of several names that the Firebase account of a user lists. `nil` if it lists none.
    ///
    /// - Parameter notBefore: The earliest time of the status, in monotonic nanoseconds.
    /// - Throws: The denial if the user is disabled, or if the account cannot be looked up.
    func listed(
        _ evidence: [FirebaseEvidence], by user: UserKey, notBefore: UInt64
    ) async throws(AccountDenial) -> FirebaseEvidence? {
        guard let firebase else { throw .firebaseUnavailable }
        let status = await withCheckedContinuation { continuation in
            firebase.lookUp(user, notBefore: notBefore) { continuation.resume(returning: $0) }
        }
        switch status.state {
        case .unavailable: throw .firebaseUnavailable
        case .account(_, disabled: true, _): throw AccountDenial(.userDisabled, reason: "disabled in Firebase")
        case .account, .missing:
            for name in evidence {
                guard let key = SHA256Hasher().flatMap({ name.key(hasher: $0) }) else {
                    throw AccountDenial(.internalError, reason: "libcrypto could not hash")
                }
                if !status.state.lacks(key) { return name }
            }
            return nil
        }
    }
}
