import Authentication
package import GatewayCore
import JOSE
package import OutboundHTTP
package import Revocation

/// Identity Toolkit's `accounts:lookup`, by uids, or by names under which Firebase lists accounts.
package struct AccountLookup: Sendable {
    /// The UTF-8 of a uid: canonically equivalent texts are different accounts.
    package typealias UID = [UInt8]

    /// The way to find one account.
    package enum Query: Sendable, Hashable {
        case uid(UID)
        case name(FirebaseName)
    }

    /// The maximum size of a response, in bytes. It contains much more about each account than the gateway needs.
    package static let sizeLimit = 1 << 20
    private static let limits = JSONLimits(size: sizeLimit, depth: 32, members: 131_072)

    private let url: String
    /// The project whose quota the lookups use. `nil` for the project of the credential.
    private let quotaProject: String?

    /// Creates the lookup.
    ///
    /// - Parameters:
    ///   - url: The URL, with `{project}` as a placeholder for the project ID.
    ///   - tenant: The tenant of the accounts. `nil` for the project's own accounts. The same uid may be a different
    ///     account in each.
    ///   - quotaProject: The project whose quota the lookups use, if it is not the credential's.
    package init(url: String, project: String, tenant: String? = nil, quotaProject: String? = nil) {
        self.quotaProject = quotaProject
        self.url = FirebaseProjectPath(project: project, tenant: tenant).url(url, tenant: tenant)
    }

    package func request(_ uids: [UID], token: Secret) -> OutboundRequest {
        request(of: uids.map(Query.uid), token: token)
    }

    func request(of queries: [Query], token: Secret) -> OutboundRequest {
        .google(url, Self.body(of: queries), token: token, quotaProject: quotaProject)
    }

    static func body(_ uids: [UID]) -> [UInt8] { body(of: uids.map(Query.uid)) }

    private static func body(of queries: [Query]) -> [UInt8] {
        ObjectText.object { body in
            for list in Query.lists {
                let elements = queries.compactMap { $0.element(of: list) }
                guard !elements.isEmpty else { continue }
                var text = [UInt8(ascii: "[")]
                text.append(contentsOf: elements.joined(separator: [UInt8(ascii: ",")]))
                text.append(UInt8(ascii: "]"))
                body.add(list, json: text)
            }
        }
    }

    /// Parses the status of each uid from a response. A uid that it does not contain is `missing`.
    package static func read(
        _ response: OutboundResponse, about uids: [UID], now: Int64
    ) -> Result<[UID: AccountStatus.State], LookupFailure> {
        read(response, about: uids.map(Query.uid), now: now).map { statuses in
            Dictionary(uids.map { ($0, statuses[.uid($0)] ?? .unavailable) }, uniquingKeysWith: { first, _ in first })
        }
    }

    /// Parses the status of each query from a response. An account that it does not contain is `missing`.
    ///
    /// - Parameter project: The project, if the names of the accounts are read too.
    package static func read(
        _ response: OutboundResponse, about queries: [Query], listing project: String? = nil, now: Int64
    ) -> Result<[Query: AccountStatus.State], LookupFailure> {
        guard response.status == 200 else {
            var failure = LookupFailure(response, ownCredentials: [401], now: now)
            // Status 400 may concern one of the uids. Any other status concerns the service or the project.
            failure.concernsAll = response.status != 400
            return .failure(failure)
        }
        do throws(Unproven) {
            let reader = try IntrospectionResponseReader(
                (try? JSONDocument(response.body, limits: limits))?.root, "the answer")
            guard reader["error"] == nil else { throw .malformed("an error with status 200") }
            let users = reader["users"]
            guard users.map({ $0.kind == .array }) ?? true else { throw .malformed("users is not an array") }
            return .success(statuses(users, queries, listing: project))
        } catch {
            return .failure(LookupFailure(.malformed, error.detail))
        }
    }

    private static func statuses(
        _ users: JSONValue?, _ queries: [Query], listing project: String?
    ) -> [Query: AccountStatus.State] {
        var statuses = Dictionary(
            queries.map { ($0, AccountStatus.State.missing) }, uniquingKeysWith: { first, _ in first })
        let hasNames = project != nil || queries.contains { if case .name = $0 { true } else { false } }
        for user in users.map({ Array($0.elements) }) ?? [] {
            guard let uid = user["localId"]?.string else { continue }
            let names = hasNames ? FirebaseName.all(of: user) : []
            let status = Self.status(of: user, hasNames ? uid : nil, names, in: project)
            for query in [.uid(Array(uid.utf8))] + names.map(Query.name) {
                guard let known = statuses[query] else { continue }
                statuses[query] = known == .missing ? status : query.status(known, or: status)
            }
        }
        return statuses
    }

    private static func status(
        of user: JSONValue, _ uid: String?, _ names: Set<FirebaseName>, in project: String?
    ) -> AccountStatus.State {
        let disabled = user["disabled"]
        guard disabled == nil || disabled?.bool != nil else { return .unavailable }
        guard let keys = project.map({ Self.keys(of: names, in: $0) }) ?? [] else { return .unavailable }
        let account = FirebaseAccount(uid: uid, keys: keys)
        guard let member = user["validSince"] else {
            return .account(validSince: nil, disabled: disabled?.bool ?? false, account)
        }
        guard let text = member.string, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let seconds = Int64(text), let validSince = UnixTime(seconds)
        else { return .unavailable }
        return .account(validSince: validSince, disabled: disabled?.bool ?? false, account)
    }

    /// Returns the keys of an account's names. `nil` if libcrypto fails.
    private static func keys(of names: Set<FirebaseName>, in project: String) -> Set<StoreKey>? {
        guard let hasher = SHA256Hasher() else { return nil }
        let keys = Set(names.compactMap { FirebaseEvidence(project: project, name: $0).key(hasher: hasher) })
        return keys.count == names.count ? keys : nil
    }
}

extension AccountLookup.Query {
    /// The members of a request.
    fileprivate static let lists = ["localId", "federatedUserId", "email"]

    /// Returns the JSON text of the query in a member of a request. `nil` if it belongs to another member.
    fileprivate func element(of list: String) -> [UInt8]? {
        var text: [UInt8] = []
        switch (self, list) {
        case (.uid(let uid), "localId"): JSONWriter.appendString(utf8: uid, to: &text)
        case (.name(.identity(let provider, let id)), "federatedUserId"):
            text = ObjectText.object { object in
                object.add("providerId", provider)
                object.add("rawId", id)
            }
        case (.name(.email(let address)), "email"): JSONWriter.appendString(address, to: &text)
        default: return nil
        }
        return text
    }

    /// Returns the status if two entries of a response match. A batch may find one account several times, by its uid
    /// and by its names, so that equal entries of one account count once. Different entries of one account are no
    /// result. Several accounts with one name are a permanent state of the project: an account without a uid.
    fileprivate func status(
        _ one: AccountStatus.State, or other: AccountStatus.State
    ) -> AccountStatus.State {
        let isSameAccount = one.uid == other.uid
        if isSameAccount, one == other { return one }
        guard case .name = self, !isSameAccount, one != .unavailable, other != .unavailable else { return .unavailable }
        return .account(validSince: nil, disabled: false, FirebaseAccount())
    }
}

extension AccountStatus.State {
    /// The uid of an account whose names were read.
    fileprivate var uid: AccountLookup.UID? {
        if case .account(_, _, let account) = self { account.uid.map { Array($0.utf8) } } else { nil }
    }
}

extension FirebaseName {
    /// The maximum number of names of one account. Firebase permits one identity per provider.
    private static let limit = 64
    /// The entries of `providerUserInfo` that are no identities at a provider.
    private static let own = ["password", "phone"]

    /// Returns the names under which a record of Identity Toolkit lists its account.
    fileprivate static func all(of user: JSONValue) -> Set<FirebaseName> {
        var names: Set<FirebaseName> = []
        for info in user["providerUserInfo"].map({ Array($0.elements.prefix(limit)) }) ?? [] {
            guard let provider = info["providerId"]?.string, let id = info["rawId"]?.string, !provider.isEmpty,
                !id.isEmpty, !own.contains(provider)
            else { continue }
            names.insert(.identity(provider: provider, id: id))
        }
        // Firebase folds ASCII only. Another letter, such as U+212A (Kelvin), could become one of a different address.
        if let email = user["email"]?.string, !email.isEmpty, user["emailVerified"]?.bool == true,
            email.utf8.allSatisfy({ 0x21...0x7E ~= $0 })
        {
            names.insert(.email(email.lowercased()))
        }
        return names
    }
}
