import GatewayCore
import Logging
import NIOCore
import Redis
import Revocation
import Synchronization

/// The connection on which a store reads and writes: sends commands, shows writes in the view, and counts what `close` waits for.
final class RedisCommands: Sendable {
    /// How long a write that Redis has acknowledged waits to show in this gateway's view.
    static let visibilityLimit = Duration.seconds(1)
    /// The most operations that run at once. More are denied.
    static let maximumRunning = 10_000

    private struct Life {
        var state = StoreState.opened
        var running = 0
        var closing: CheckedContinuation<Void, Never>?
    }

    let progress = ReplicaProgress()
    let client: RedisClient
    private let life = Mutex(Life())

    init(_ client: RedisClient) {
        self.client = client
    }

    /// Where the store is in its life.
    var state: StoreState { life.withLock { $0.state } }

    /// How many operations run now.
    var running: Int { life.withLock { $0.running } }

    /// Whether there is a connection, now or within so long.
    func isConnected(within limit: Duration) async -> Bool {
        await client.isReady(within: limit)
    }

    func checkOpen() throws(StoreError) {
        guard state != .closed else { throw .closed() }
    }

    /// The view holds all records.
    func becomeReady() {
        life.withLock { if $0.state == .opened { $0.state = .ready } }
    }

    /// Finishes what was asked before, and ends the connection.
    ///
    /// - Returns: whether it was not closed before.
    func close() async -> Bool {
        let isFirst = life.withLock { life in
            defer { life.state = .closed }
            return life.state != .closed
        }
        guard isFirst else { return false }
        // An operation that only waits to see a write that Redis has acknowledged, or for the first load, ends at once.
        progress.close()
        await waitForRunning()
        await client.close()
        return true
    }

    /// Sends commands in one go, and gives the reply of each.
    ///
    /// - Throws: also for the first reply that is an error, with `faulty` for a key of the wrong type.
    func ask(_ command: RedisCommand, faulty: StoreError? = nil) async throws(StoreError) -> [RedisValue] {
        try await run { () async throws(StoreError) in try await send(command, faulty: faulty) }
    }

    /// Writes a record by `command`, tells of it, and waits until this gateway's view shows it.
    ///
    /// - Parameter read: makes the answer of the reply to `command`.
    func write<Record>(
        _ command: RedisCommand, telling change: RedisChange, faulty: StoreError,
        read: (RedisValue) throws(StoreError) -> Record
    ) async throws(StoreError) -> Record {
        try await run { () async throws(StoreError) in
            let replies = try await send(command + change.command, faulty: faulty)
            guard replies.count == 2, case .string(let bytes) = replies[1], let entry = ReplicaStreamID(parsing: bytes)
            else {
                throw .unexpectedReply()
            }
            let record = try read(replies[0])
            // Not to show in time is no failure: Redis has it, and every gateway will.
            _ = await progress.wait(for: entry, atMost: Self.visibilityLimit)
            return record
        }
    }

    /// As `ask`, for who is run already.
    func send(_ command: RedisCommand, faulty: StoreError?) async throws(StoreError) -> [RedisValue] {
        let replies: [RedisValue]
        do throws(RedisFailure) { replies = try await client.send(command) } catch { throw StoreError(error) }
        if let refusal = replies.lazy.compactMap(\.serverError).first {
            throw refusal.code == "WRONGTYPE" ? faulty ?? StoreError(refusal) : StoreError(refusal)
        }
        return replies
    }

    /// Does something that `close` waits for.
    func run<Value>(_ body: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        try enter()
        defer { leave() }
        return try await body()
    }

    private func enter() throws(StoreError) {
        let refusal = life.withLock { life -> StoreError? in
            if life.state == .closed { return .closed() }
            guard life.running < Self.maximumRunning else {
                return StoreError(.overloaded, "\(Self.maximumRunning) operations wait for Redis already")
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

/// An entry of the stream of changes, which tells gateways whose record to read again.
///
/// What it says beside that is for other readers of the stream: who wants to know a record reads the record.
enum RedisChange {
    /// Tokens of before that time, in seconds, were revoked; nil: no longer.
    case validSince(uid: UserKey, UnixTime?)
    /// The user was disabled, or enabled.
    case disabled(uid: UserKey, Bool)
    /// A session was revoked, or signed in anew.
    case session(uid: UserKey, String)
    /// An identity belongs to a uid, or to nobody any more.
    case link(IdentityLink, uid: UserKey?)

    /// About how many entries the stream keeps. A gateway that was away for longer reads everything again.
    static let kept = 1_000_000

    /// The command that adds it.
    var command: RedisCommand {
        RedisCommand(
            ["XADD", RedisKeys.changes, "MAXLEN", "~", Self.kept, "*"] + fields.map { $0 as any RedisArgument })
    }

    private var fields: [String] {
        switch self {
        case .validSince(let user, let time): Self.names(user) + ["valid_since", time.map { "\($0)" } ?? ""]
        case .disabled(let user, let isDisabled): Self.names(user) + ["disabled", isDisabled ? "1" : "0"]
        case .session(let user, let session): Self.names(user) + ["session", session]
        case .link(let link, let user): ["link", link.name] + (user.map(Self.names) ?? ["uid", ""])
        }
    }

    private static func names(_ user: UserKey) -> [String] {
        ["uid", user.uid] + (user.tenant.map { ["tenant", $0] } ?? [])
    }
}
