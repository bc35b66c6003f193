import Authentication
package import GatewayCore
import JOSE
package import OutboundHTTP

/// Identity Toolkit's `accounts:lookup`, by uids.
package struct AccountLookup: Sendable {
    /// The UTF-8 of a uid: canonically equivalent texts are different accounts.
    package typealias UID = [UInt8]

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
        .google(url, Self.body(uids), token: token, quotaProject: quotaProject)
    }

    static func body(_ uids: [UID]) -> [UInt8] {
        var body = Array(#"{"localId":["#.utf8)
        for (place, uid) in uids.enumerated() {
            if place > 0 { body.append(UInt8(ascii: ",")) }
            JSONWriter.appendString(utf8: uid, to: &body)
        }
        body.append(contentsOf: "]}".utf8)
        return body
    }

    /// Parses the status of each uid from a response. A uid that it does not contain is `missing`.
    package static func read(
        _ response: OutboundResponse, about uids: [UID], now: Int64
    ) -> Result<[UID: AccountStatus.State], LookupFailure> {
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
            return .success(statuses(users, uids))
        } catch {
            return .failure(LookupFailure(.malformed, error.detail))
        }
    }

    private static func statuses(_ users: JSONValue?, _ uids: [UID]) -> [UID: AccountStatus.State] {
        var statuses = Dictionary(
            uids.map { ($0, AccountStatus.State.missing) }, uniquingKeysWith: { first, _ in first })
        for user in users.map({ Array($0.elements) }) ?? [] {
            guard let uid = user["localId"]?.string.map({ Array($0.utf8) }), let known = statuses[uid] else { continue }
            // Two entries of the same uid may contradict each other.
            statuses[uid] = known == .missing ? Self.status(of: user) : .unavailable
        }
        return statuses
    }

    private static func status(of user: JSONValue) -> AccountStatus.State {
        let disabled = user["disabled"]
        guard disabled == nil || disabled?.bool != nil else { return .unavailable }
        guard let member = user["validSince"] else {
            return .account(validSince: nil, disabled: disabled?.bool ?? false)
        }
        guard let text = member.string, !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let seconds = Int64(text), let validSince = UnixTime(seconds)
        else { return .unavailable }
        return .account(validSince: validSince, disabled: disabled?.bool ?? false)
    }
}
