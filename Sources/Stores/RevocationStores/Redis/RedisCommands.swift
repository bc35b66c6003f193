import GatewayCore
import Redis
import Revocation
import Synchronization

/// The connection for reads and writes of a store. It sends commands, waits until writes appear in the view, and
/// counts the operations that `close` waits for.
final class RedisCommands: Sendable {
    /// The maximum number of concurrent operations. Further operations fail.
    static let maximumRunning = 10_000

    private struct Life {
        var state = StoreState.opened
        var running = 0
        var closing: CheckedContinuation<Void, Never>?
    }

    let progress: ReplicaProgress
    let client: RedisClient
    private let replica: Replica
    /// The maximum time that an acknowledged write waits to appear in this gateway's view.
    private let visibilityLimit: Duration
    private let life = Mutex(Life())

    /// - Parameter progress: The position of `replica`.
    init(_ client: RedisClient, _ replica: Replica, _ progress: ReplicaProgress, visibilityLimit: Duration) {
        (self.client, self.replica, self.progress) = (client, replica, progress)
        self.visibilityLimit = visibilityLimit
    }

    /// The state of the store.
    var state: StoreState { life.withLock { $0.state } }

    /// The number of running operations.
    var running: Int { life.withLock { $0.running } }

    /// Waits until there is a connection. Returns `false` after `limit`.
    func isConnected(within limit: Duration) async -> Bool {
        await client.isReady(within: limit)
    }

    func checkOpen() throws(StoreError) {
        guard state != .closed else { throw .closed() }
    }

    /// Records that the view contains all records.
    func becomeReady() {
        life.withLock { if $0.state == .opened { $0.state = .ready } }
    }

    /// Completes running operations and closes the connection.
    ///
    /// - Returns: `false` if it was closed before.
    func close() async -> Bool {
        let isFirst = life.withLock { life in
            defer { life.state = .closed }
            return life.state != .closed
        }
        guard isFirst else { return false }
        // Operations that only wait for the view or for the first load end at once.
        progress.close()
        await waitForRunning()
        await client.close()
        return true
    }

    /// Sends commands in one pipeline and returns their replies.
    ///
    /// - Throws: A `StoreError` for the first error reply, or `faulty` if a key has the wrong type.
    func query(_ command: RedisCommand, faulty: StoreError? = nil) async throws(StoreError) -> [RedisValue] {
        try await run { () async throws(StoreError) in try await send(command, faulty: faulty) }
    }

    /// Writes a record, publishes the change, and waits until this gateway's view contains it.
    ///
    /// - Parameters:
    ///   - key: The key of the record.
    ///   - word: Returns the record as the view contains it.
    ///   - read: Parses the reply to `command`.
    func write<Record>(
        _ command: RedisCommand, to key: ReplicaKey, telling change: RedisChange, faulty: StoreError,
        word: (Record) -> RecordWord, read: (RedisValue) throws(StoreError) -> Record
    ) async throws(StoreError) -> Record {
        try await run { () async throws(StoreError) in
            let replies = try await send(command + change.command, faulty: faulty)
            guard replies.count == 2, case .string(let bytes) = replies[1], let entry = ReplicaStreamID(parsing: bytes)
            else {
                throw .unexpectedReply()
            }
            let record = try read(replies[0])
            await show(word(record), of: key, at: entry)
            return record
        }
    }

    /// Waits until the view contains a record with its entry. If the entry does not arrive in time, because the
    /// connection that follows the changes is impaired or uses another server, the restrictions of the record are added
    /// to the view. So an acknowledged revocation applies to the next request of this gateway.
    ///
    /// A timeout is not a failure: Redis has the write, and all gateways will apply it.
    func show(_ word: RecordWord, of key: ReplicaKey, at entry: ReplicaStreamID) async {
        guard await !progress.wait(for: entry, atMost: visibilityLimit) else { return }
        await replica.record(word, of: key, at: entry)
    }

    /// Sends commands like `ask`, inside of `run`.
    func send(_ command: RedisCommand, faulty: StoreError?) async throws(StoreError) -> [RedisValue] {
        let replies: [RedisValue]
        do throws(RedisFailure) { replies = try await client.send(command) } catch { throw StoreError(error) }
        if let refusal = replies.lazy.compactMap(\.serverError).first {
            throw refusal.code == "WRONGTYPE" ? faulty ?? StoreError(refusal) : StoreError(refusal)
        }
        return replies
    }

    /// Runs an operation that `close` waits for.
    func run<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        try enter()
        defer { leave() }
        return try await body()
    }

    private func enter() throws(StoreError) {
        let refusal = life.withLock { life -> StoreError? in
            if life.state == .closed { return .closed() }
            guard life.running < Self.maximumRunning else {
                return StoreError(.overloaded, "\(Self.maximumRunning) operations are already waiting for Redis")
            }
            life.running += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    private func leave() {
        let closing = life.withLock { life -> CheckedContinuation<Void, Never>? in
            life.running -= 1
            guard life.running == 0 else { return nil }
            defer { life.closing = nil }
            return life.closing
        }
        closing?.resume()
    }

    private func waitForRunning() async {
        await withCheckedContinuation { continuation in
            let isIdle = life.withLock { life in
                if life.running > 0 { life.closing = continuation }
                return life.running == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}

/// An entry of the change stream, which names the record that gateways have to read again.
///
/// Gateways ignore its values, which are for other readers of the stream.
enum RedisChange {
    /// Tokens of before this time were revoked, or the revocation was removed (`nil`).
    case validSince(uid: UserKey, UnixTime?)
    /// The user was disabled or enabled.
    case disabled(uid: UserKey, Bool)
    /// A session was revoked, or a new sign-in was recorded.
    case session(uid: UserKey, String)
    /// The user's record was removed.
    case removed(uid: UserKey)
    /// An identity was linked to a user, or unlinked (`nil`).
    case link(IdentityLink, uid: UserKey?)

    /// The approximate number of entries that the stream keeps. A gateway that misses more reads everything again.
    static let kept = 1_000_000

    /// The command that appends the entry.
    var command: RedisCommand {
        RedisCommand(
            ["XADD", RedisKeys.changes, "MAXLEN", "~", Self.kept, "*"] + fields.map { $0 as any RedisArgument })
    }

    private var fields: [String] {
        switch self {
        case .validSince(let user, let time): Self.names(user) + ["valid_since", time.map { "\($0)" } ?? ""]
        case .disabled(let user, let isDisabled): Self.names(user) + ["disabled", isDisabled ? "1" : "0"]
        case .removed(let user): Self.names(user) + ["valid_since", "", "disabled", "0"]
        case .session(let user, let session): Self.names(user) + ["session", session]
        case .link(let link, let user): ["link", link.name] + (user.map(Self.names) ?? ["uid", ""])
        }
    }

    private static func names(_ user: UserKey) -> [String] {
        ["uid", user.uid] + (user.tenant.map { ["tenant", $0] } ?? []) + (user.project.map { ["project", $0] } ?? [])
    }
}
