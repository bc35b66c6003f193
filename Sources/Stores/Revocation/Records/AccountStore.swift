package import GatewayCore

/// A user at a provider, which can be linked to an account.
package struct IdentityLink: Sendable, Hashable {
    /// The provider's id, such as `apple.com`.
    package let provider: String
    /// The user at that provider, 1 to 255 bytes. For Microsoft, `TID:OID`.
    package let subject: String

    /// Creates a link.
    package init(provider: String, subject: String) {
        self.provider = provider
        self.subject = subject
    }

    /// `PROVIDER:SUBJECT`: the name of the link in the store, and the derived uid of a user without an account.
    package var name: String { "\(provider):\(subject)" }
}

/// The identities that were unlinked from an account. Only the account's user can link them again; a sign-in with the
/// same e-mail address does not.
package struct UnlinkedIdentities: Sendable, Equatable, ExpressibleByArrayLiteral {
    /// The remembered identities, at most `StoreBounds.maximumUnlinked`.
    package var links: Set<IdentityLink>
    /// Whether further identities were unlinked but not remembered. Any identity may be one of them.
    package var hasMore: Bool

    /// Creates a list of remembered identities.
    package init(_ links: Set<IdentityLink> = [], hasMore: Bool = false) {
        self.links = links
        self.hasMore = hasMore
    }

    /// Creates a complete list of remembered identities.
    package init(arrayLiteral links: IdentityLink...) {
        self.init(Set(links))
    }

    /// Returns whether the identity may have been unlinked from the account.
    package func mayContain(_ link: IdentityLink) -> Bool { hasMore || links.contains(link) }
}

/// The stored data of an account.
package struct AccountRecord: Sendable, Equatable {
    /// The user of the account. The uid of an account that the gateway created has 32 hexadecimal digits and no
    /// tenant. Other users can have links too.
    package var user: UserKey
    /// The e-mail address, with ASCII letters in lower case.
    package var email: String?
    /// Whether a provider verified the address.
    package var emailVerified: Bool
    /// The provider of the linked identity that supplied the address, or `EmailChange.linkSource`. `nil` if it is
    /// unknown.
    package var emailFrom: String?
    /// The display name.
    package var name: String?
    /// The URL of a picture that the user chose. `nil` without one.
    package var picture: String?
    /// The parts of the profile that the user chose. In sessions they replace those of the provider, also if they are
    /// absent.
    package var chosen: ProfileParts
    /// The creation time. `nil` if the gateway did not create the account; its user can then sign in without links.
    package var created: UnixTime?
    /// The subject at each linked provider.
    package var links: [String: String]
    /// The identities that were unlinked from the account.
    package var unlinked: UnlinkedIdentities
    /// The evidence of the links that were made from Firebase, by provider.
    package var evidence: [String: FirebaseEvidence]

    /// The uid. It is unique only within its tenant.
    package var uid: String { user.uid }

    /// Creates a record. If only the user is given, it is empty.
    package init(
        user: UserKey, email: String? = nil, emailVerified: Bool = false, emailFrom: String? = nil, name: String? = nil,
        picture: String? = nil, chosen: ProfileParts = [], created: UnixTime? = nil, links: [String: String] = [:],
        unlinked: UnlinkedIdentities = [], evidence: [String: FirebaseEvidence] = [:]
    ) {
        self.user = user
        self.email = email
        self.emailVerified = emailVerified
        self.emailFrom = emailFrom
        self.name = name
        self.picture = picture
        self.chosen = chosen
        self.created = created
        self.links = links
        self.unlinked = unlinked
        self.evidence = evidence
    }

    /// Returns the evidence of a link. `nil` if the identity is not linked, or if the link does not depend on Firebase.
    package func evidence(of link: IdentityLink) -> FirebaseEvidence? {
        links[link.provider]?.isExactly(link.subject) == true ? evidence[link.provider] : nil
    }

    /// Whether the state of a Firebase account applies to credentials of this account. `link` is the identity of the
    /// credential.
    package func isFirebase(as link: IdentityLink?) -> Bool {
        created == nil || link.flatMap { evidence(of: $0) } != nil
    }
}

/// The result of creating an account.
package enum AccountCreation: Sendable, Equatable {
    case created
    /// The identity belongs to this user, possibly since a moment ago. No account was created.
    case linkTaken(uid: UserKey)
    /// The address belongs to this user. No account was created.
    case emailTaken(uid: UserKey)
}

/// The result of linking an identity.
package enum LinkClaim: Sendable, Equatable {
    /// The identity was linked. The value is the current account.
    case linked(AccountRecord)
    /// The identity was linked before. The value is the current account.
    case alreadyLinked(AccountRecord)
    /// The identity belongs to this user.
    case taken(uid: UserKey)
    /// The account has another identity of that provider.
    case providerTaken
    /// The identity was, or may have been, unlinked from the account.
    case unlinked
    /// The account is deleted. The identity is not linked.
    case deleted
}

/// An address that an account lost. Sessions of the user may state it, so all of them ended.
package struct LostAddress: Sendable, Equatable {
    package var email: String
    /// The new start of the caller's session, the only one that continues. `nil` if none does.
    package var restarted: UnixTime?

    /// Creates a lost address.
    package init(email: String, restarted: UnixTime? = nil) {
        (self.email, self.restarted) = (email, restarted)
    }
}

/// The result of unlinking a provider.
package enum LinkRelease: Sendable, Equatable {
    /// The identity was unlinked. The values are the identity, the current account, the number of messages that the
    /// outbox did not accept, and the address that the account lost. `lost` is `nil` if it kept its address.
    case released(IdentityLink, AccountRecord, dropped: Int = 0, lost: LostAddress? = nil)
    /// The account has no identity of that provider.
    case absent
    /// The identity is the last one of an account that the gateway created. It stays linked.
    case last
}

/// The result of deleting an account.
package enum AccountDeletion: Sendable, Equatable {
    /// The account is deleted. The values are the identities that this call unlinked (none if it was deleted before),
    /// and the number of messages that the outbox did not accept.
    case deleted([IdentityLink], dropped: Int = 0)
    /// The gateway created no account of this user.
    case absent
    /// The user was revoked or disabled since the caller was authorized. Nothing was deleted.
    case changed
}

/// Accounts and linked identities: a facet of a store, beside `Store`.
///
/// Every operation is atomic across gateways and safe to repeat after an error. `owner` is authoritative for links;
/// the account's record lists the links of the account. Each change is published to all gateways like a revocation,
/// which invalidates their cached owners.
///
/// When an account loses its address, all sessions of the user end in the same step, on every gateway: they may state
/// the address, which can belong to another account from then on. As after a removed link, earlier credentials stay
/// valid for sign-ins, but not as bearer tokens.
package protocol AccountStore: Sendable {
    /// Returns the user that an identity belongs to. `nil` if it is not linked.
    func owner(of link: IdentityLink) async throws(StoreError) -> UserKey?

    /// Returns the account of a user. `nil` if it does not exist.
    func account(_ user: UserKey) async throws(StoreError) -> AccountRecord?

    /// Returns the user of an e-mail address (in lower case), if accounts have unique addresses. `nil` if the address
    /// is free. If the account's deletion was interrupted, it is completed and the address is free.
    func uid(ofEmail email: String) async throws(StoreError) -> UserKey?

    /// Creates an account with one link. If `claimsEmail` is true, its address must be free and is reserved for the
    /// account.
    ///
    /// - Parameter account: An account with a new uid, `created`, and exactly one link.
    func createAccount(_ account: AccountRecord, claimsEmail: Bool) async throws(StoreError) -> AccountCreation

    /// Links an identity to a user, with or without an account.
    ///
    /// - Parameter unlessUnlinked: Whether an identity that was unlinked from the account is rejected. If false, the
    ///   account forgets that the identity was unlinked.
    /// - Parameter evidence: The reason, if the link is made from Firebase. An existing link keeps its own.
    func claim(
        _ link: IdentityLink, for user: UserKey, unlessUnlinked: Bool, evidence: FirebaseEvidence?
    ) async throws(StoreError) -> LinkClaim

    /// Unlinks a provider from a user and ends all sessions that the identity began. The last link of an account that
    /// the gateway created stays.
    ///
    /// The account remembers the identity as unlinked. It loses its e-mail address if the identity supplied it, or if
    /// its source is unknown.
    ///
    /// - Parameter start: The start of the caller's session. If the address is lost, and the user was neither disabled
    ///   nor revoked since then, this session continues with a later start. `nil` ends all sessions.
    func release(
        provider: String, of user: UserKey, keeping start: UnixTime?
    ) async throws(StoreError) -> LinkRelease

    /// Unlinks an identity like `release(provider:of:)`, also if it is the last one, but only if the link exists with
    /// this evidence.
    ///
    /// - Returns: Whether this call unlinked the identity.
    func evict(
        _ link: IdentityLink, of user: UserKey, evidence: FirebaseEvidence
    ) async throws(StoreError) -> Bool

    /// Unlinks all identities of an account and ends all sessions that they began, so that no former user of the
    /// account can sign in to it. The account remembers the identities as unlinked. It loses its e-mail address, and
    /// the display name and the picture that a former user chose.
    ///
    /// - Parameter successor: The identity that takes over the account, or `nil`. Its link stays, and so does the
    ///   address, which it is about to claim.
    /// - Returns: The identities that were unlinked.
    @discardableResult
    func releaseAll(of user: UserKey, for successor: IdentityLink?) async throws(StoreError) -> [IdentityLink]

    /// Deletes an account that the gateway created: its user is disabled and revoked permanently, its identities are
    /// unlinked, and its address, name and other data are removed. The uid and the time of the deletion remain.
    ///
    /// The credentials of its identities that were issued before, or in the same second, are revoked, also for
    /// sign-ins. A later sign-in creates another account. An interruption leaves an account that no credential opens,
    /// or no change.
    ///
    /// - Parameter expected: The user's record that the caller was authorized with. `nil` for an operator, whose call
    ///   also completes an interrupted deletion.
    func deleteAccount(_ user: UserKey, unlessChangedFrom expected: UserRecord?) async throws(StoreError)
        -> AccountDeletion

    /// Completes the deletion of a user that an identity still seems to belong to.
    ///
    /// - Returns: Whether the user is deleted. The identity then belongs to no user, or to another one.
    func completeDeletion(of user: UserKey, holding link: IdentityLink) async throws(StoreError) -> Bool

    /// Returns when the account of a user was deleted. `nil` if it was not.
    func deletionTime(of user: UserKey) async throws(StoreError) -> UnixTime?

    /// Changes the parts of the profile that the user chooses.
    ///
    /// - Returns: `false`, without a change, if the gateway did not create the account, or if it is deleted.
    func setProfile(_ change: ProfileChange, of user: UserKey) async throws(StoreError) -> Bool

    /// Sets the display name, unless the account has one, its user chose to have none, or it is deleted.
    func setNameIfAbsent(_ name: String, of user: UserKey) async throws(StoreError)

    /// Sets the e-mail address of an account, and reserves it if `claimsEmail` is true.
    ///
    /// - Parameter link: The linked identity that supplied the address.
    /// - Returns: `false`, without a change, if the address belongs to another account, if the identity is not linked
    ///   to this account, or if the list of unlinked identities is incomplete.
    func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink, of user: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> Bool

    /// Opens a change of the address, in place of an earlier open one, and adds its event to the outbox in the same
    /// step. Each change of the address, and the deletion of the account, close it.
    func openEmailChange(_ ticket: EmailTicket, of user: UserKey) async throws(StoreError) -> EmailTicketResult

    /// Changes the address of an account that the gateway created, and adds the event of the change to the outbox. The
    /// previous address is free afterwards. After an interruption, the account has one of both addresses.
    ///
    /// All sessions of the user end, also if there was no previous address.
    ///
    /// - Parameters:
    ///   - claimsEmail: Whether the new address must be free, and is reserved for the account.
    ///   - start: The start of the caller's session, which continues as after `release(provider:of:keeping:)`.
    func changeEmail(
        _ change: EmailChange, of user: UserKey, claimsEmail: Bool, keeping start: UnixTime?
    ) async throws(StoreError) -> EmailChangeResult

    /// Removes an e-mail address from the account of a user, if it has the address. The address is free then.
    func removeEmail(_ email: String, of user: UserKey) async throws(StoreError)

    /// Returns a setting that all gateways of a store share. If it is absent, `initial` is stored and returned.
    ///
    /// - Parameter name: `issuer`, or `session_key` in an embedded store: lower-case letters and `_`.
    func setting(_ name: String, initial: [UInt8]) async throws(StoreError) -> [UInt8]

    /// The counters that invalidate cached link owners.
    var linkGenerations: LinkGenerations { get }
}

extension AccountStore {
    /// Links an identity for a reason other than Firebase.
    package func claim(
        _ link: IdentityLink, for user: UserKey, unlessUnlinked: Bool
    ) async throws(StoreError) -> LinkClaim {
        try await claim(link, for: user, unlessUnlinked: unlessUnlinked, evidence: nil)
    }

    /// Unlinks a provider from a user. If the account loses its address, all sessions of the user end.
    package func release(provider: String, of user: UserKey) async throws(StoreError) -> LinkRelease {
        try await release(provider: provider, of: user, keeping: nil)
    }

    /// Changes the address of an account, and ends all sessions of its user.
    package func changeEmail(
        _ change: EmailChange, of user: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> EmailChangeResult {
        try await changeEmail(change, of: user, claimsEmail: claimsEmail, keeping: nil)
    }

    /// Unlinks all identities of an account without a successor.
    @discardableResult
    package func releaseAll(of user: UserKey) async throws(StoreError) -> [IdentityLink] {
        try await releaseAll(of: user, for: nil)
    }
}
