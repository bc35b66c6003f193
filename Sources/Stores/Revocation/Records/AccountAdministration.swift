package import GatewayCore

/// An account in a list for operators.
package struct ListedAccount: Sendable, Equatable {
    package var user: UserKey
    package var email: String?
    /// The display name.
    package var name: String?
    /// The creation time. `nil` if the gateway did not create the account, or if it was deleted.
    package var created: UnixTime?
    /// When the account was deleted. `nil` if it was not.
    package var deleted: UnixTime?
    /// The linked providers, sorted.
    package var providers: [String]
    /// Whether the stored data is invalid. The other members are then empty.
    package var isFaulty: Bool

    /// Creates an account.
    package init(
        user: UserKey, email: String? = nil, name: String? = nil, created: UnixTime? = nil, deleted: UnixTime? = nil,
        providers: [String] = [], isFaulty: Bool = false
    ) {
        self.user = user
        self.email = email
        self.name = name
        self.created = created
        self.deleted = deleted
        self.providers = providers
        self.isFaulty = isFaulty
    }

    /// Whether the store has more of the account than identities that were unlinked from it.
    package var saysAnything: Bool {
        isFaulty || email != nil || name != nil || created != nil || deleted != nil || !providers.isEmpty
    }
}

/// A part of the list of accounts.
package struct AccountPage: Sendable, Equatable {
    package var accounts: [ListedAccount]
    /// The cursor of the next part, visible ASCII. `nil` if this is the last one.
    package var next: String?

    /// Creates a part.
    package init(accounts: [ListedAccount] = [], next: String? = nil) {
        self.accounts = accounts
        self.next = next
    }
}

/// The result of merging two accounts.
package enum AccountMerge: Sendable, Equatable {
    /// The source was merged into the target. The values are the identities that this call moved (none if the accounts
    /// were merged before), and the number of messages that the outbox did not accept.
    case merged([IdentityLink], dropped: Int = 0)
    /// The gateway created no account of the source, or it was deleted or merged into another account.
    case sourceAbsent
    /// The gateway created no account of the target, or it was deleted or merged.
    case targetAbsent
    /// The user of the source is disabled. Its identities would get rid of that.
    case sourceDisabled
    /// A link of one of the accounts was made from Firebase, which decides about it.
    case firebase
    /// Both accounts have an identity of this provider.
    case providerTaken(String)
}

/// Operations on accounts for operators: a facet of a store, beside `Store`.
package protocol AccountAdministrationStore: Sendable {
    /// Returns a part of the list of all accounts, deleted ones included.
    ///
    /// An account that exists during the whole listing is in at least one part. A part may have fewer accounts than
    /// `limit`, also none. In a store with other writers it may have somewhat more, and an account may be in two parts.
    ///
    /// - Parameters:
    ///   - cursor: The cursor of the part before. `nil` for the first part.
    ///   - limit: 1 to `StoreBounds.maximumAccountPage` accounts.
    /// - Throws: `.invalidAccount` for a cursor that is invalid, or that the store does not know any more.
    func accounts(after cursor: String?, limit: Int) async throws(StoreError) -> AccountPage

    /// Merges an account that the gateway created into another one, in one atomic step.
    ///
    /// The links of the source move to the target, with the kept tokens. So do the identities that were unlinked from
    /// it, as far as the target can remember them; the display name and the picture, each if the target has none and
    /// its user did not choose that; and the verified address with its reservation, if the target has none, the user
    /// chose it or a linked identity supplied it, and all unlinked identities are remembered. An unverified address
    /// becomes free: its owner could take the target over. The source then is a deleted account: its user is disabled
    /// and revoked permanently, so that its sessions end, and its uid is never used again. It keeps the name of the
    /// target. Credentials of the identities that were revoked with the source stay revoked.
    ///
    /// A repeated call completes an interrupted one.
    ///
    /// - Throws: `.tooManyLinks` if the target would have too many links, `.invalidAccount` for equal users.
    func merge(_ source: UserKey, into target: UserKey) async throws(StoreError) -> AccountMerge

    /// Returns the account that a user's account was merged into. `nil` if it was not merged.
    func mergeTarget(of user: UserKey) async throws(StoreError) -> UserKey?
}

extension StoreBounds {
    /// The maximum number of accounts of one part of a list.
    package static let maximumAccountPage = 100

    package static func check(merging source: UserKey, into target: UserKey) throws(StoreError) {
        try check(user: source)
        try check(user: target)
        guard source != target else { throw .invalidAccount("the source and the target are the same account") }
    }

    package static func check(page limit: Int) throws(StoreError) {
        guard 1...maximumAccountPage ~= limit else {
            throw .invalidAccount("a part of the list has 1 to \(maximumAccountPage) accounts")
        }
    }
}

extension StoreError {
    package static func unknownCursor() -> StoreError {
        .invalidAccount("The cursor is unknown or no longer valid. Begin the list again, without a cursor.")
    }
}
