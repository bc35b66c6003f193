import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import RevocationStores
import Synchronization

@testable import RedisFixtures
@testable import SystemFixtures

/// A separate database for a test on a real server, and stores that use it.
struct RedisDatabase: Sendable {
    let server: RedisServer
    let number: Int

    private static let shared = Task { try await RedisServer(["databases 10000"]) }
    private static let taken = Atomic<Int>(0)

    /// Creates a database on the server that tests share. For tests that do not affect the server itself.
    static func fresh() async throws -> RedisDatabase {
        RedisDatabase(server: try await shared.value, number: taken.wrappingAdd(1, ordering: .relaxed).oldValue)
    }

    /// Creates the first database of a separate server.
    static func onOwnServer(_ configuration: [String] = []) async throws -> RedisDatabase {
        RedisDatabase(server: try await RedisServer(configuration), number: 0)
    }

    /// An event loop for stores in tests.
    static var loop: any EventLoop { MultiThreadedEventLoopGroup.singleton.next() }

    /// The location of the database.
    var location: RedisLocation {
        var location = RedisLocation(servers: .server(.init(host: "127.0.0.1", port: server.port)))
        location.database = number
        location.timeouts = .patient
        return location
    }

    /// Creates a store that has not loaded its records. `port` is the port of a proxy.
    func store(
        now: Int64 = 1_700_000_000, as account: RedisLocation.Account? = nil, port: Int? = nil,
        maxStaleness: Duration = .seconds(60), timeouts: RedisLocation.Timeouts = .patient, logger: Logger = .silent
    ) throws -> RedisStore {
        var location = location
        location.timeouts = timeouts
        location.account = account
        if let port { location.servers = .server(.init(host: "127.0.0.1", port: port)) }
        let clock = GatewayClock(now: { now }, monotonic: GatewayClock.system.monotonic)
        let store = try RedisStore(
            location, maxStaleness: maxStaleness, loop: Self.loop, clock: clock, logger: logger)
        OpenedStores.current?.add(store)
        return store
    }

    /// Creates a loaded store.
    func loadedStore(
        now: Int64 = 1_700_000_000, as account: RedisLocation.Account? = nil,
        timeouts: RedisLocation.Timeouts = .patient
    ) async throws -> RedisStore {
        let store = try store(now: now, as: account, timeouts: timeouts)
        try await store.load()
        return store
    }

    /// Runs a command, like another backend, and returns its output.
    @discardableResult
    func cli(_ arguments: String...) throws -> String { try server.cli(["-n", "\(number)"] + arguments) }

    /// The entries of the change stream, one line each with its names and values.
    func changes() throws -> [String] {
        let lines = try cli("XRANGE", "gatehouse:changes", "-", "+").split(
            separator: "\n", omittingEmptySubsequences: false)
        let isID: (Substring) -> Bool = { $0.wholeMatch(of: /[0-9]{13}-[0-9]+/) != nil }
        return lines.split(whereSeparator: isID).map { $0.joined(separator: " ") }
    }

    /// The entries about links.
    func linkChanges() throws -> [String] { try changes().filter { $0.hasPrefix("link ") } }
}

extension RedisLocation.Timeouts {
    /// Timeouts that no reply of a real server exceeds, however busy the machine is.
    static let patient: Self = {
        var timeouts = Self()
        (timeouts.connect, timeouts.reply, timeouts.replicaReply) = (.hangLimit, .hangLimit, .hangLimit)
        (timeouts.load, timeouts.visibility, timeouts.lookup) = (.hangLimit, .hangLimit, .hangLimit)
        return timeouts
    }()
}
