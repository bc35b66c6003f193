import GatewayCore
import JOSE
import Logging
import OutboundHTTP
package import Revocation
import TextCoding

/// Identity Toolkit's `accounts:update`, of `validSince` and `disableUser`.
///
/// `validSince` never goes back: an `accounts:lookup` precedes the update. Nor is it later than Google's clock, so that
/// a fast clock of a gateway does not lock out fresh sign-ins.
struct AccountUpdate: GoogleMethod {
    /// The wanted state of a user.
    struct Payload: Sendable {
        enum Change: Sendable, Equatable {
            case validSince(UnixTime)
            case disabled(Bool)
        }

        let uid: String
        let target: WriteBackTarget
        let change: Change
        /// The time at which all requests must have ended, in monotonic nanoseconds.
        var deadline = UInt64.max
    }

    static let scope = GoogleScope.identityToolkit
    static let limits = LookupLimits(concurrency: WriteBackBounds.concurrency, waiting: 64)
    static let messages = events(failing: "a change of a user could not be written back to Identity Toolkit")
    static let tokenMessages = events(failing: "no access token to write changes of users back to Identity Toolkit")
    /// The timeout of each request. With it, a delivery ends before `WriteBackBounds.reserve`.
    static let timeout = Duration.seconds(4)
    private static let jsonLimits = JSONLimits(size: AccountLookup.sizeLimit, depth: 32, members: 131_072)

    /// The project of the users. The payload's target is in it.
    let path: FirebaseProjectPath
    let lookupURL: String
    let updateURL: String
    var timeout: Duration { Self.timeout }

    var url: String { updateURL }

    func deadline(of payload: Payload) -> UInt64 { payload.deadline }

    static func isAccepted(_ result: WriteBackResult) -> Bool { result == .updated || result == .unchanged }

    func perform(
        _ payload: Payload, by client: GoogleClient,
        completion: @escaping @Sendable (Result<WriteBackResult, LookupFailure>) -> Void
    ) {
        switch payload.change {
        case .disabled(let isDisabled):
            update(payload, "disableUser", isDisabled ? "true" : "false", client, completion)
        case .validSince(let wanted):
            lookUp(payload, client) { result in
                switch result {
                case .success(.found(let current, let now)):
                    let time = min(wanted, now)
                    guard current.map({ $0 < time }) ?? true else { return completion(.success(.unchanged)) }
                    update(payload, "validSince", "\"\(time)\"", client, completion)
                case .success(.ended(let result)): completion(.success(result))
                case .failure(let failure): completion(.failure(failure))
                }
            }
        }
    }

    private enum Found: Sendable {
        /// The current `validSince`, and the time of Google's clock.
        case found(UnixTime?, now: UnixTime)
        case ended(WriteBackResult)
    }

    private func lookUp(
        _ payload: Payload, _ client: GoogleClient,
        completion: @escaping @Sendable (Result<Found, LookupFailure>) -> Void
    ) {
        let uid = Array(payload.uid.utf8)
        client.send(
            AccountLookup.body([uid]), to: path.url(lookupURL, tenant: payload.target.tenant),
            read: { Self.read($0, about: uid, now: $1) }, completion: completion)
    }

    private static func read(
        _ response: OutboundResponse, about uid: AccountLookup.UID, now: Int64
    ) -> Result<Found, LookupFailure> {
        guard response.status == 200 else { return rejection(response, now: now).map { .ended($0) } }
        return AccountLookup.read(response, about: [uid], now: now).flatMap { states in
            switch states[uid] {
            case .missing: return .success(.ended(.missing))
            case .account(let validSince, _, _):
                guard let date = response.date else {
                    return .failure(LookupFailure(.malformed, "the response has no Date, which bounds validSince"))
                }
                return .success(.found(validSince, now: UnixTime(clamping: date)))
            case .unavailable, nil: return .failure(.malformed("an invalid account"))
            }
        }
    }

    private func update(
        _ payload: Payload, _ member: String, _ value: String, _ client: GoogleClient,
        _ completion: @escaping @Sendable (Result<WriteBackResult, LookupFailure>) -> Void
    ) {
        var body = Array(#"{"localId":"#.utf8)
        JSONWriter.appendString(utf8: Array(payload.uid.utf8), to: &body)
        body.append(contentsOf: ",\"\(member)\":\(value)}".utf8)
        client.send(
            body, to: path.url(updateURL, tenant: payload.target.tenant),
            read: { response, now in
                response.status == 200 ? .success(.updated) : Self.rejection(response, now: now)
            }, completion: completion)
    }

    /// Reads an error. The status 400 concerns the user, the project or a quota, and 403 the permission. Any other
    /// status may be temporary.
    private static func rejection(
        _ response: OutboundResponse, now: Int64
    ) -> Result<WriteBackResult, LookupFailure> {
        switch response.status {
        case 400:
            switch GoogleError.code(of: response, jsonLimits) {
            case "USER_NOT_FOUND", "INVALID_LOCAL_ID", "MISSING_LOCAL_ID", "TENANT_NOT_FOUND": return .success(.missing)
            case "QUOTA_EXCEEDED", "TOO_MANY_ATTEMPTS_TRY_LATER": return .failure(LookupFailure(.throttled, "400"))
            case let code: return .success(.rejected(code ?? "400"))
            }
        case 403: return .success(.forbidden)
        default: return .failure(.ofUser(response, now: now))
        }
    }

    private static func events(failing: Logger.Message) -> LookupMessages {
        LookupMessages(
            failing: failing, recovered: "writing changes of users back to Identity Toolkit has recovered",
            overloaded: "the limit of changes of users that are written back is exceeded")
    }
}

extension LookupFailure {
    /// Creates the failure for a status of a call about one user. A failure of the service may concern only this user:
    /// `WriteBackMachine` decides whether others fail too.
    static func ofUser(_ response: OutboundResponse, now: Int64) -> LookupFailure {
        var failure = LookupFailure(response, ownCredentials: [401], now: now)
        if failure.kind == .status, failure.retryAfter == nil { failure.concernsAll = false }
        return failure
    }
}

/// An error response of Identity Toolkit.
enum GoogleError {
    /// The maximum size of a code, in bytes.
    private static let maximumSize = 64

    /// Returns the code: the message up to the first colon or space. `nil` if it is not upper-case letters and `_`.
    static func code(of response: OutboundResponse, _ limits: JSONLimits) -> String? {
        let document = try? JSONDocument(response.body, limits: limits)
        guard let message = document?.root["error"]?["message"]?.string else { return nil }
        let code = message.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: " ") }
        let isCode = code.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") }
        guard isCode, (1...maximumSize).contains(code.count) else { return nil }
        return String(Substring(code))
    }
}

/// The path of a Firebase project's users in URLs of Identity Toolkit.
package struct FirebaseProjectPath: Sendable {
    private let project: String
    /// The tenant of users whose name has none. `nil` for the project's own users.
    private let tenant: String?

    /// Creates the path.
    ///
    /// - Parameter tenant: The tenant of users whose name has none. `nil` for the project's own users.
    package init(project: String, tenant: String?) {
        (self.project, self.tenant) = (project, tenant)
    }

    /// Returns a URL for a user: `{project}` is replaced by the project's id, and `/tenants/` and the tenant's id.
    package func url(_ template: String, of user: UserKey) -> String { url(template, tenant: user.tenant ?? tenant) }

    /// Returns a URL for the users of a tenant. `nil` for the project's own users.
    package func url(_ template: String, tenant: String?) -> String {
        let segments = [project] + (tenant.map { ["tenants", $0] } ?? [])
        let id = segments.map { String(decoding: PercentEncoding.encoded($0.utf8), as: UTF8.self) }.joined(
            separator: "/")
        return template.split(separator: "{project}", omittingEmptySubsequences: false).joined(separator: id)
    }
}
