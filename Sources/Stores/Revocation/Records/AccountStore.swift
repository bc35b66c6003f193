package import GatewayCore

/// A user at a provider, as an account may be linked to it.
package struct IdentityLink: Sendable, Hashable {
    /// The provider's id, such as `apple.com`.
    package let provider: String
    /// The user at that provider; of Microsoft's `TID:OID`. 1 to 255 bytes.
    package let subject: String

    /// The link of that user.
    package init(provider: String, subject: String) {
        self.provider = provider
        self.subject = subject
    }

    /// `PROVIDER:SUBJECT`: the name of the link in the store, and the derived uid of a user without an account.
    package var name: String { "\(provider):\(subject)" }
}

/// The identities that were unlinked from an account. Only the account's user links them again; a sign-in by address does not.
package struct UnlinkedIdentities: Sendable, Equatable, ExpressibleByArrayLiteral {
    /// The remembered identities, at most `StoreBounds.maximumUnlinked`.
    package var links: Set<IdentityLink>
    /// Whether more identities were unlinked than are remembered. Any identity may be one of them.
    package var hasMore: Bool

    /// The identities of `links`.
    package init(_ links: Set<IdentityLink> = [], hasMore: Bool = false) {
        self.links = links
        self.hasMore = hasMore
    }

    /// These identities and no more.
    package init(arrayLiteral links: IdentityLink...) {
        self.init(Set(links))
    }

    /// Whether the identity may have been unlinked from the account.
    package func mayContain(_ link: IdentityLink) -> Bool { hasMore || links.contains(link) }
}

/// What is kept of an account.
package struct AccountRecord: Sendable, Equatable {
    /// Whose account. The uid of an account that was made here has 32 hexadecimal digits and no tenant; any other user may have links here.
    package var user: UserKey
    /// The address, ASCII letters in lower case.
    package var email: String?
    /// Whether a provider vouched for the address.
    package var emailVerified: Bool
    /// The provider of the linked identity that the address came from; nil: it is not known.
    package var emailFrom: String?
    /// The display name.
    package var name: String?
    /// When it was made here; nil: it was not, so its user can sign in without its links.
    package var created: UnixTime?
    /// The subject at each linked provider.
    package var links: [String: String]
    /// The identities that were unlinked from it.
    package var unlinked: UnlinkedIdentities

    /// The uid, which alone names no user.
    package var uid: String { user.uid }

    /// An account; with the user alone, one of which nothing is known.
    package init(
        user: UserKey, email: String? = nil, emailVerified: Bool = false, emailFrom: String? = nil, name: String? = nil,
        created: UnixTime? = nil, links: [String: String] = [:], unlinked: UnlinkedIdentities = []
    ) {
        self.user = user
        self.email = email
        self.emailVerified = emailVerified
        self.emailFrom = emailFrom
        self.name = name
        self.created = created
        self.links = links
        self.unlinked = unlinked
    }
}

/// What became of making an account.
package enum AccountCreation: Sendable, Equatable {
    case created
    /// The identity belongs to this uid, be it since a moment ago. Nothing was made.
    case linkTaken(uid: UserKey)
    /// The address belongs to this uid. Nothing was made.
    case emailTaken(uid: UserKey)
}

/// What became of linking an identity.
package enum LinkClaim: Sendable, Equatable {
    /// It belongs to the account now; the account as it is.
    case linked(AccountRecord)
    /// It had belonged to it before; the account as it is.
    case alreadyLinked(AccountRecord)
    /// It belongs to this uid.
    case taken(uid: UserKey)
    /// The account has another identity of that provider.
    case providerTaken
    /// It was unlinked from the account before, or may have been.
    case unlinked
}

/// What became of unlinking a provider.
package enum LinkRelease: Sendable, Equatable {
    /// It does not belong to the account any more; which identity it was, and the account as it is.
    case released(IdentityLink, AccountRecord)
    /// The account has none of that provider.
    case absent
    /// It is the last one of an account that was made here: it stays.
    case last
}

/// Accounts, and which identity at a provider belongs to which: a facet of a store, beside `Store`.
///
/// Every operation is decided once, whoever asks however many gateways at a time, and can be repeated without harm by who got an error. A
/// link belongs to whom `owner` says; the account's record lists those that it holds. Each change is told to all gateways like a revocation,
/// so that what they keep of a link's owner dies.
package protocol AccountStore: Sendable {
    /// Whom an identity belongs to; nil: to no account.
    func owner(of link: IdentityLink) async throws(StoreError) -> UserKey?

    /// The account of a uid; nil: nothing is kept of it.
    func account(_ user: UserKey) async throws(StoreError) -> AccountRecord?

    /// The uid of an address (in lower case), where one account per address is on; nil: none has it.
    func uid(ofEmail email: String) async throws(StoreError) -> UserKey?

    /// Makes an account with one link; where `claimsEmail`, its address must be nobody's and becomes its own.
    ///
    /// - Parameter account: with a fresh uid, `created`, and exactly one link.
    func createAccount(_ account: AccountRecord, claimsEmail: Bool) async throws(StoreError) -> AccountCreation

    /// Links an identity to a uid, whether or not an account is kept of it.
    ///
    /// - Parameter unlessUnlinked: whether an identity that was unlinked from the account is refused. If not, it counts as unlinked no more.
    func claim(
        _ link: IdentityLink, for user: UserKey, unlessUnlinked: Bool
    ) async throws(StoreError) -> LinkClaim

    /// Ends the link of a uid to a provider, but not the last one of an account that was made here, and every session that the identity began.
    ///
    /// The account remembers the identity as unlinked. It loses its address if that came from the identity, or if it is not known where it came from.
    func release(provider: String, of user: UserKey) async throws(StoreError) -> LinkRelease

    /// Ends all links of an account, whichever they are, and every session that their identities began, so that nobody who could sign in to it
    /// still can. The account remembers the identities as unlinked and loses its address.
    ///
    /// - Parameter successor: the identity that takes the account over; nil: none. Its link stays, and so does the address, which it is about to
    ///   claim.
    /// - Returns: what they were.
    @discardableResult
    func releaseAll(of user: UserKey, for successor: IdentityLink?) async throws(StoreError) -> [IdentityLink]

    /// Keeps the display name, unless the account has one.
    func setNameIfAbsent(_ name: String, of user: UserKey) async throws(StoreError)

    /// Keeps the address of an account: claims it where `claimsEmail`.
    ///
    /// - Parameter link: the linked identity that the address came from.
    /// - Returns: false where the address belongs to another account, where the identity is not linked to this one, and where more identities were
    ///   unlinked from it than are remembered; then nothing changes.
    func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink, of user: UserKey, claimsEmail: Bool
    ) async throws(StoreError) -> Bool

    /// A value that all gateways of a store share and that is made once: the stored one, or `initial`, which then is.
    ///
    /// - Parameter name: `issuer`, and in an embedded store `session_key`: lower-case letters and `_`.
    func setting(_ name: String, initial: [UInt8]) async throws(StoreError) -> [UInt8]

    /// Tells what changed of links, for what gateways keep of their owners.
    var linkGenerations: LinkGenerations { get }
}

extension AccountStore {
    /// Ends all links of an account that no identity takes over.
    @discardableResult
    package func releaseAll(of user: UserKey) async throws(StoreError) -> [IdentityLink] {
        try await releaseAll(of: user, for: nil)
    }
}
