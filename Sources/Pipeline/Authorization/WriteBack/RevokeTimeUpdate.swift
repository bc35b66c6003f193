import GatewayCore
import JOSE
import Logging
import OutboundHTTP
import Revocation
import TextCoding

/// The entry of a user in the Realtime Database that security rules compare with `auth_time`:
/// `metadata/UID/revokeTime`, in seconds (Firebase, "Manage user sessions").
///
/// The entry never goes back: it is read with its `ETag`, and written only if it has not changed since (`if-match`).
/// Nor is it later than Google's clock, so that a fast clock of a gateway does not lock out fresh sign-ins.
struct RevokeTimeUpdate: GoogleMethod {
    struct Payload: Sendable {
        let uid: String
        /// The wanted time.
        let time: UnixTime
        /// The time at which all requests must have ended, in monotonic nanoseconds.
        var deadline = UInt64.max
    }

    static let scope = GoogleScope.realtimeDatabase
    static let limits = LookupLimits(concurrency: WriteBackBounds.concurrency, waiting: 64)
    static let messages = events(failing: "a revocation could not be written to the Realtime Database")
    static let tokenMessages = events(failing: "no access token to write revocations to the Realtime Database")
    /// How often an entry is read again that another writer has changed.
    private static let attempts = 3
    private static let etagLimit = 256
    private static let jsonLimits = JSONLimits(size: OutboundHTTPClient.sizeLimit, depth: 32, members: 1024)

    let path: FirebaseProjectPath
    /// The URL of the database, with `{project}`. A query, such as `?ns=DATABASE` of the emulator, is kept.
    let databaseURL: String

    var url: String { databaseURL }
    var timeout: Duration { AccountUpdate.timeout }

    static func isAccepted(_ result: WriteBackResult) -> Bool { AccountUpdate.isAccepted(result) }

    func deadline(of payload: Payload) -> UInt64 { payload.deadline }

    func perform(
        _ payload: Payload, by client: GoogleClient,
        completion: @escaping @Sendable (Result<WriteBackResult, LookupFailure>) -> Void
    ) {
        guard let url = entryURL(of: payload.uid) else { return completion(.success(.unstorable)) }
        write(payload.time, to: url, client, attempts: Self.attempts, completion)
    }

    /// Returns the URL of a user's entry. `nil` if the uid cannot be a key of the database.
    func entryURL(of uid: String) -> String? {
        let isKey = uid.utf8.allSatisfy { $0 > 0x1F && $0 != 0x7F && !".$#[]/".utf8.contains($0) }
        guard isKey, (1...768).contains(uid.utf8.count) else { return nil }
        let resolved = path.url(databaseURL, tenant: nil)
        let query = resolved.firstIndex(of: "?") ?? resolved.endIndex
        let base = resolved[..<query]
        let key = String(decoding: PercentEncoding.encoded(uid.utf8), as: UTF8.self)
        return (base.hasSuffix("/") ? base.dropLast() : base) + "/metadata/\(key)/revokeTime.json" + resolved[query...]
    }

    private func write(
        _ wanted: UnixTime, to url: String, _ client: GoogleClient, attempts: Int,
        _ completion: @escaping @Sendable (Result<WriteBackResult, LookupFailure>) -> Void
    ) {
        client.send([], to: url, method: .get, fields: [("x-firebase-etag", "true")], read: Self.read) { result in
            switch result {
            case .success(.found(let current, let etag, let now)):
                let time = min(wanted, now)
                guard current.map({ $0 < time }) ?? true else { return completion(.success(.unchanged)) }
                client.send(
                    Array("\(time)".utf8), to: url, method: .put, fields: [("if-match", etag)], read: Self.readWrite
                ) { result in
                    guard case .success(nil) = result else { return completion(result.map { $0 ?? .unchanged }) }
                    guard attempts > 1 else {
                        return completion(.failure(.malformed("the entry changes at each attempt")))
                    }
                    write(wanted, to: url, client, attempts: attempts - 1, completion)
                }
            case .success(.ended(let result)): completion(.success(result))
            case .failure(let failure): completion(.failure(failure))
            }
        }
    }

    private enum Found: Sendable {
        /// The current time, its version, and the time of Google's clock.
        case found(UnixTime?, etag: String, now: UnixTime)
        case ended(WriteBackResult)
    }

    private static func read(_ response: OutboundResponse, now: Int64) -> Result<Found, LookupFailure> {
        guard response.status == 200 else { return rejection(response, now: now).map { .ended($0) } }
        guard let date = response.date, let etag = response.etag, (1...etagLimit).contains(etag.utf8.count),
            etag.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }),
            let document = try? JSONDocument(response.body, limits: jsonLimits)
        else { return .failure(.malformed("the entry has no JSON, or the response no ETag or Date")) }
        return .success(.found(time(document.root), etag: etag, now: UnixTime(clamping: date)))
    }

    /// Returns the time of an entry, rounded up. `nil` for an absent entry and for one that rules cannot compare.
    private static func time(_ value: JSONValue) -> UnixTime? {
        if let integer = value.integer { return UnixTime(clamping: integer) }
        guard let number = value.double, number.isFinite else { return nil }
        return Int64(exactly: number.rounded(.up)).map { UnixTime(clamping: $0) } ?? (number > 0 ? .latest : nil)
    }

    /// Reads the response to a write. `nil` if the entry has changed since it was read.
    private static func readWrite(
        _ response: OutboundResponse, now: Int64
    ) -> Result<WriteBackResult?, LookupFailure> {
        switch response.status {
        case 200, 204: .success(.updated)
        case 412: .success(nil)
        default: rejection(response, now: now).map { $0 }
        }
    }

    private static func rejection(
        _ response: OutboundResponse, now: Int64
    ) -> Result<WriteBackResult, LookupFailure> {
        switch response.status {
        case 403: .success(.forbidden)
        case 400, 404, 405, 413: .success(.rejected("\(response.status)"))
        default: .failure(.ofUser(response, now: now))
        }
    }

    private static func events(failing: Logger.Message) -> LookupMessages {
        LookupMessages(
            failing: failing, recovered: "writing revocations to the Realtime Database has recovered",
            overloaded: "the limit of revocations that are written to the Realtime Database is exceeded")
    }
}
