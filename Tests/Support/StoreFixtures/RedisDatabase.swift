import GatewayConfiguration
import GatewayCore
import Logging
import NIOCore
import NIOPosix
import RevocationStores
import Synchronization

@testable import RedisFixtures

/// A database of a test's own on a real server, and stores over it.
struct RedisDatabase: Sendable {
    let server: RedisServer
    let number: Int

    private static let shared = Task { try await RedisServer(["databases 10000"]) }
    private static let taken = Atomic<Int>(0)

    /// A database on the server that tests share, for those who do nothing to the server itself.
    static func fresh() async throws -> RedisDatabase {
        RedisDatabase(server: try await shared.value, number: taken.wrappingAdd(1, ordering: .relaxed).oldValue)
    }

    /// The first database of a server of the test's own.
    static func onOwnServer(_ configuration: [String] = []) async throws -> RedisDatabase {
        RedisDatabase(server: try await RedisServer(configuration), number: 0)
    }

    /// Where stores of tests live.
    static var loop: any EventLoop { MultiThreadedEventLoopGroup.singleton.next() }

    /// Where it is.
    var location: RedisLocation {
        var location = RedisLocation(servers: .server(.init(host: "127.0.0.1", port: server.port)))
        location.database = number
        return location
    }

    /// A store over it, whose records are not loaded yet.
    func store(
        now: Int64 = 1_700_000_000, as account: RedisLocation.Account? = nil, logger: Logger = .silent
    ) throws -> RedisStore {
        var location = location
        location.account = account
        let clock = GatewayClock(now: { now }, monotonic: GatewayClock.system.monotonic)
        return try RedisStore(location, loop: Self.loop, clock: clock, logger: logger)
    }

    /// A loaded store over it.
    func loadedStore(now: Int64 = 1_700_000_000, as account: RedisLocation.Account? = nil) async throws -> RedisStore {
        let store = try store(now: now, as: account)
        try await store.load()
        return store
    }

    /// Runs a command by `redis-cli`, as another backend would; what it prints.
    @discardableResult
    func cli(_ arguments: String...) throws -> String { try server.cli(["-n", "\(number)"] + arguments) }

    /// The entries of the stream of changes: the names and values of each, in a line.
    func changes() throws -> [String] {
        let lines = try cli("XRANGE", "gatehouse:changes", "-", "+").split(
            separator: "\n", omittingEmptySubsequences: false)
        let isID: (Substring) -> Bool = { $0.wholeMatch(of: /[0-9]{13}-[0-9]+/) != nil }
        return lines.split(whereSeparator: isID).map { $0.joined(separator: " ") }
    }

    /// The entries about links.
    func linkChanges() throws -> [String] { try changes().filter { $0.hasPrefix("link ") } }
}
