import Logging
import NIOPosix
import Redis

@testable import RedisFixtures
@testable import SystemFixtures

/// A client that is started, and ends with the test.
final class Joined {
    let client: RedisClient
    let log = LogBook()

    /// A client with short times.
    init(_ location: RedisConfiguration.Location, _ change: (inout RedisConfiguration) -> Void = { _ in }) {
        var configuration = RedisConfiguration(location)
        configuration.replyTimeout = .milliseconds(300) * Allowance.factor
        configuration.heartbeatInterval = .milliseconds(100)
        configuration.backoff.maximum = .milliseconds(100)
        change(&configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        client = RedisClient(configuration, loop: loop, logger: log.logger)
        client.start()
    }

    convenience init(to server: RedisServer, _ change: (inout RedisConfiguration) -> Void = { _ in }) {
        self.init(.server(RedisEndpoint(host: "127.0.0.1", port: server.port)), change)
    }

    convenience init(to fake: FakeRedis, _ change: (inout RedisConfiguration) -> Void = { _ in }) {
        self.init(.server(RedisEndpoint(host: "127.0.0.1", port: fake.port)), change)
    }

    deinit {
        let client = client
        Task { await client.close() }
    }

    func ready() async throws {
        guard await client.isReady(within: .seconds(15) * Allowance.factor) else {
            throw Impatience("a connection: \(client.status)")
        }
    }

    /// Waits until there is no connection for this reason.
    func problem(_ code: RedisProblem.Code) async throws {
        try await eventually("\(code), it is \(client.status)") { client.status.problem?.code == code ? true : nil }
    }

    /// The reply to one command.
    @discardableResult
    func ask(_ arguments: any RedisArgument...) async throws(RedisFailure) -> RedisValue {
        try await client.send(RedisCommand(arguments))[0]
    }

    /// What kept a command from getting a reply.
    func failure(_ arguments: any RedisArgument...) async -> RedisFailure? {
        guard case .failure(let failure) = await client.outcome(of: RedisCommand(arguments)) else { return nil }
        return failure
    }
}

extension RedisClient {
    func outcome(of command: RedisCommand, timeout: Duration? = nil) async -> Result<[RedisValue], RedisFailure> {
        do { return .success(try await send(command, timeout: timeout)) } catch { return .failure(error) }
    }
}

extension RedisValue {
    static func text(_ text: String) -> RedisValue { .string(Array(text.utf8)) }

    /// The first word of a refusal.
    var code: String? { serverError?.code }
}
