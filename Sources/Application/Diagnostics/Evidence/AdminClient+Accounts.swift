package import GatewayCore
import JOSE
package import Revocation

/// Accounts and sessions.
extension AdminClient {
    /// An account, without the subjects of its links.
    package struct Account: Sendable {
        package let created: UnixTime?
        package let deleted: UnixTime?
        /// The account that it was merged into.
        package let mergedInto: String?
        package let email: String?
        package let emailIsVerified: Bool
        /// The linked providers.
        package let providers: [String]
    }

    /// A session of the gateway that a user has.
    package struct Session: Sendable {
        /// The public ID.
        package let id: String
        package let started: UnixTime?
        package let lastUsed: UnixTime?
        package let ends: UnixTime?
        package let provider: String?
        /// `authenticated` or `confirmed`. `nil` if the sign-in was not proved.
        package let proof: String?
        package let userAgent: String?
    }

    /// Returns a part of the list of accounts: the first one, or the one after a cursor.
    package func accounts(after cursor: String?, limit: Int) async throws(AdminClientError) -> Reply<AccountPage> {
        let query = [(name: "limit", value: "\(limit)")] + (cursor.map { [(name: "cursor", value: $0)] } ?? [])
        let document = try await call("GET", ["v1", "accounts"], query: query)
        let accounts = try Self.users(document).map { user, value in
            ListedAccount(
                user: user, email: value["email"]?.string, name: value["name"]?.string,
                created: Self.time(value["created_at"]), deleted: Self.time(value["deleted_at"]),
                providers: value["providers"]?.elements.compactMap(\.string) ?? [],
                isFaulty: value["faulty"]?.bool ?? false)
        }
        let page = AccountPage(accounts: accounts, next: document.root["next"]?.string)
        return Reply(record: page, json: Self.text(of: document))
    }

    /// Returns the user whose account has an address. Empty if there is none.
    package func find(email: String) async throws(AdminClientError) -> Reply<[UserKey]> {
        try await find([(name: "email", value: email)])
    }

    /// Returns the user whose account has an identity. Empty if there is none.
    package func find(_ link: IdentityLink) async throws(AdminClientError) -> Reply<[UserKey]> {
        try await find([(name: "provider", value: link.provider), (name: "subject", value: link.subject)])
    }

    private func find(_ query: [(name: String, value: String)]) async throws(AdminClientError) -> Reply<[UserKey]> {
        let document = try await call("GET", ["v1", "accounts"], query: query)
        return Reply(record: try Self.users(document).map(\.user), json: Self.text(of: document))
    }

    /// Returns the account of a user.
    package func account(_ user: UserKey) async throws(AdminClientError) -> Reply<Account> {
        try Self.account(try await call("GET", Self.path(of: user, "accounts")))
    }

    /// Deletes an account that the gateway created.
    package func deleteAccount(_ user: UserKey) async throws(AdminClientError) -> Reply<Account> {
        try Self.account(try await call("POST", Self.path(of: user, "accounts") + ["delete"]))
    }

    /// Unlinks a provider from an account.
    package func unlink(_ provider: String, of user: UserKey) async throws(AdminClientError) -> Reply<Account> {
        try Self.account(try await call("POST", Self.path(of: user, "accounts") + ["links", provider, "unlink"]))
    }

    /// Merges an account into another one, and returns the other one.
    package func merge(_ user: UserKey, into target: String) async throws(AdminClientError) -> Reply<Account> {
        try Self.account(try await call("POST", Self.path(of: user, "accounts") + ["merge", target]))
    }

    /// Returns the valid sessions of a user, the latest use first.
    package func sessions(of user: UserKey) async throws(AdminClientError) -> Reply<[Session]> {
        let document = try await call("GET", Self.path(of: user) + ["sessions"])
        guard let values = document.root["sessions"]?.elements else { throw .foreign(200) }
        let sessions = values.compactMap { value in
            value["id"]?.string.map { id in
                Session(
                    id: id, started: Self.time(value["started_at"]), lastUsed: Self.time(value["last_used_at"]),
                    ends: Self.time(value["ends_at"]), provider: value["provider"]?.string,
                    proof: value["proof"]?.string, userAgent: value["user_agent"]?.string)
            }
        }
        return Reply(record: sessions, json: Self.text(of: document))
    }

    private static func account(_ document: JSONDocument) throws(AdminClientError) -> Reply<Account> {
        let root = document.root
        guard let links = root["links"] else { throw .foreign(200) }
        let account = Account(
            created: time(root["created_at"]), deleted: time(root["deleted_at"]),
            mergedInto: root["merged_into"]?.string, email: root["email"]?.string,
            emailIsVerified: root["email_verified"]?.bool ?? false,
            providers: links.elements.compactMap { $0["provider"]?.string })
        return Reply(record: account, json: text(of: document))
    }

    private static func users(_ document: JSONDocument) throws(AdminClientError) -> [(user: UserKey, value: JSONValue)]
    {
        guard let values = document.root["users"]?.elements else { throw .foreign(200) }
        return values.compactMap { value in
            value["uid"]?.string.map { uid in
                (UserKey(uid: uid, tenant: value["tenant"]?.string, project: value["project"]?.string), value)
            }
        }
    }

    private static func time(_ value: JSONValue?) -> UnixTime? { value?.integer.flatMap { UnixTime($0) } }
}
