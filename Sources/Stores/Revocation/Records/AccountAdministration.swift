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
}

extension StoreBounds {
    /// The maximum number of accounts of one part of a list.
    package static let maximumAccountPage = 100

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
