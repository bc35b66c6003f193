import Synchronization

@testable import SystemFixtures

/// A managed Redis with its own time: a proxy in front of a real server that accepts tokens as passwords until they
/// expire, and closes connections some time after their last authentication, like ElastiCache and MemoryDB.
final class ManagedRedis: Sendable {
    /// The seconds after which a connection is closed, unless it authenticates again.
    static let connectionLifetime: Int64 = 12 * 3600
    static let user = "gateway"
    /// The start of the time.
    static let start: Int64 = 1_700_000_000

    fileprivate struct State {
        var now = ManagedRedis.start
        /// The expiry of each token.
        var tokens: [String: Int64] = [:]
        /// The time of the last authentication of each connection.
        var authenticated: [Int: Int64] = [:]
        var opened = 0
        var rejections = 0
        var cuts = 0
    }

    let server: RedisServer
    private let middlebox: RedisMiddlebox
    private let core: Core

    private final class Core: Sendable {
        let state = Mutex(State())
    }

    init() async throws {
        server = try await RedisServer(["user \(Self.user) on >secret ~* &* +@all"])
        let core = Core()
        self.core = core
        middlebox = try RedisMiddlebox(before: server) { command, connection in
            core.state.withLock { $0.rewrite(command, connection) }
        }
    }

    /// The port on 127.0.0.1.
    var port: Int { middlebox.port }
    var now: Int64 { core.state.withLock { $0.now } }
    /// The number of connections that authenticated.
    var opened: Int { core.state.withLock { $0.opened } }
    /// The number of rejected authentications.
    var rejections: Int { core.state.withLock { $0.rejections } }
    /// The number of connections that were closed because of their age.
    var cuts: Int { core.state.withLock { $0.cuts } }
    var tokens: [String] { core.state.withLock { Array($0.tokens.keys) } }

    func advance(by seconds: Int64) { core.state.withLock { $0.now += seconds } }

    /// Returns whether all connections have authenticated at the current time.
    var isFresh: Bool {
        core.state.withLock { state in state.authenticated.values.allSatisfy { $0 == state.now } }
    }

    /// Issues a token that is valid for 15 minutes.
    func issue() -> (value: String, expires: Int64) {
        core.state.withLock { state in
            let token = "token-\(state.tokens.count)"
            state.tokens[token] = state.now + 900
            return (token, state.now + 900)
        }
    }
}

extension ManagedRedis.State {
    /// Replaces a valid token by the password of the real server.
    fileprivate mutating func rewrite(_ command: [String], _ connection: Int) -> [String]? {
        if let last = authenticated[connection], now - last > ManagedRedis.connectionLifetime {
            authenticated[connection] = nil
            cuts += 1
            return nil
        }
        guard command.first == "AUTH" else { return authenticated[connection] == nil ? nil : command }
        let expiry = command.count == 3 && command[1] == ManagedRedis.user ? tokens[command[2]] : nil
        guard let expiry, expiry > now else {
            rejections += 1
            return ["AUTH", ManagedRedis.user, "wrong"]
        }
        if authenticated[connection] == nil { opened += 1 }
        authenticated[connection] = now
        return ["AUTH", ManagedRedis.user, "secret"]
    }
}
