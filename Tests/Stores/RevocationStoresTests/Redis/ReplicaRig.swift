import GatewayCore
import Logging
import NIOPosix
import Redis
import Revocation
import Synchronization
import Testing

@testable import RedisFixtures
@testable import RevocationStores
@testable import StoreFixtures
@testable import SystemFixtures

/// A replica of a real server, with short reads for fast tests.
struct ReplicaRig {
    final class Counter: Sendable {
        let count = Atomic<Int>(0)
    }

    static let timing: ReplicaTiming = {
        var timing = ReplicaTiming()
        timing.block = .milliseconds(200)
        timing.check = .milliseconds(50)
        timing.maximumBackoff = .milliseconds(200)
        timing.reply = .hangLimit
        return timing
    }()

    let view = StoreView()
    let replica: Replica
    /// The number of reports that the replica is loaded.
    let loads = Counter()

    private let server: RedisServer?

    init(
        _ server: RedisServer? = nil, port: Int, username: String? = nil, timing: ReplicaTiming = timing
    ) throws {
        self.server = server
        var configuration = RedisConfiguration(host: "127.0.0.1", port: port)
        configuration.username = username
        configuration.password = username
        (configuration.connectTimeout, configuration.replyTimeout) = (.hangLimit, .hangLimit)
        configuration.backoff = RedisBackoff(first: .milliseconds(10), maximum: .milliseconds(100))
        let loads = self.loads
        replica = try Replica(
            configuration: configuration, view: view, loop: MultiThreadedEventLoopGroup.singleton.next(),
            clock: .system, logger: .silent, timing: timing,
            loaded: { loads.count.add(1, ordering: .relaxed) })
    }

    /// Runs `body` with a replica that has loaded a new empty server.
    static func run(
        _ configuration: [String] = [], timing: ReplicaTiming = timing,
        _ body: (ReplicaRig, RedisServer) async throws -> Void
    ) async throws {
        let server = try await RedisServer(configuration)
        try await run(server, timing: timing) { rig in
            try await rig.loaded()
            try await body(rig, server)
        }
    }

    /// Runs `body` while a replica follows `server`.
    ///
    /// - Parameter username: A user of the server's ACL with the same password. `nil` for the default user.
    static func run(
        _ server: RedisServer, username: String? = nil, timing: ReplicaTiming = timing,
        _ body: (ReplicaRig) async throws -> Void
    ) async throws {
        let rig = try ReplicaRig(server, port: server.port, username: username, timing: timing)
        rig.replica.start()
        do { try await body(rig) } catch {
            await rig.replica.stop()
            throw error
        }
        await rig.replica.stop()
    }

    /// The age of the view in nanoseconds. `nil` before the first confirmation.
    var age: UInt64? { view.age(monotonicNow: GatewayClock.system.monotonic()) }

    func loaded() async throws {
        try await eventually("the table to be loaded: \(replica.status)") { age == nil ? nil : true }
    }

    /// Waits for the confirmation of a command that is sent after the call.
    func confirmed() async throws {
        let now = GatewayClock.system.monotonic()
        try await eventually("a confirmation: \(replica.status)") {
            guard let age = view.age(monotonicNow: now) else { return nil as Bool? }
            return age == 0 ? true : nil
        }
    }

    func user(_ uid: String, is expected: UserLookup) async throws {
        try await eventually("\(uid) to be \(expected): \(String(describing: try? view.user(uid))), \(replica.status)")
        {
            try view.user(uid) == expected ? true : nil
        }
    }

    /// Revokes, and waits until the view has the revocation.
    func revokeAndWait(_ uid: String, at time: Int) async throws {
        try revoke(uid, at: time)
        try await user(uid, is: .since(Int64(time)))
    }

    func status(_ what: String, _ condition: (ReplicaStatus) -> Bool) async throws {
        try await eventually("\(what): \(replica.status)") { condition(replica.status) ? true : nil }
    }

    /// Revokes as the contract requires: first the hash, then the entry.
    func revoke(_ uid: String, at time: Int) throws {
        try server?.cli("HSET", "gatehouse:user:{\(uid)}", "valid_since", "\(time)")
        try server?.cli("XADD", "gatehouse:changes", "*", "uid", uid, "valid_since", "\(time)")
    }
}

extension UserLookup {
    static func since(_ time: Int64) -> UserLookup { .record(validSince: UnixTime(clamping: time), disabled: false) }
}
