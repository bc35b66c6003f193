import Logging
import NIOPosix
import Redis
import Synchronization

@testable import RedisFixtures
@testable import SystemFixtures

/// A started client, which is closed at the end of the test.
final class Joined {
    let client: RedisClient
    let log = LogBook()
    /// Keeps the server alive for the lifetime of the client.
    private var server: RedisServer?
    private let watch: MasterWatch?

    /// Creates a client whose timeouts no reply of a server exceeds, however busy the machine is.
    ///
    /// - Parameter isWatching: Whether the sentinels are asked regularly, if the configuration has an agreement.
    init(
        _ location: RedisConfiguration.Location, isWatching: Bool = true,
        _ change: (inout RedisConfiguration) -> Void = { _ in }
    ) {
        var configuration = RedisConfiguration(location)
        (configuration.connectTimeout, configuration.replyTimeout) = (.hangLimit, .hangLimit)
        configuration.heartbeatInterval = .milliseconds(100)
        configuration.backoff.maximum = .milliseconds(100)
        configuration.sentinelInterval = .milliseconds(20)
        change(&configuration)
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        client = RedisClient(configuration, loop: loop, logger: log.logger)
        watch = isWatching ? MasterWatch(configuration, loop: loop, logger: log.logger) : nil
        client.start()
        watch?.start()
    }

    convenience init(to server: RedisServer, _ change: (inout RedisConfiguration) -> Void = { _ in }) {
        self.init(.server(RedisEndpoint(host: "127.0.0.1", port: server.port)), change)
        self.server = server
    }

    convenience init(to fake: FakeRedis, _ change: (inout RedisConfiguration) -> Void = { _ in }) {
        self.init(.server(RedisEndpoint(host: "127.0.0.1", port: fake.port)), change)
    }

    deinit {
        let (client, watch) = (client, watch)
        Task {
            await watch?.stop()
            await client.close()
        }
    }

    /// Waits until the client is connected, and returns it.
    @discardableResult
    func ready() async throws -> Joined {
        guard await client.isReady(within: .hangLimit) else {
            throw Impatience("a connection: \(client.status)")
        }
        return self
    }

    /// Waits until the client is connected to a server on this port.
    func ready(at port: Int) async throws {
        try await eventually("a connection to \(port), it is \(client.status)") {
            client.status.state == .ready && client.status.endpoint?.port == port ? true : nil
        }
    }

    /// Waits until the client reports this problem.
    func problem(_ code: RedisProblem.Code) async throws {
        try await eventually("\(code), it is \(client.status)") { client.status.problem?.code == code ? true : nil }
    }

    /// Returns the reply to one command.
    @discardableResult
    func query(_ arguments: any RedisArgument...) async throws(RedisFailure) -> RedisValue {
        try await client.send(RedisCommand(arguments), timeout: .hangLimit)[0]
    }

    /// Returns the failure of a command. `nil` if it has a reply.
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

    /// The code of an error.
    var code: String? { serverError?.code }
}

/// Records all log lines with their metadata.
final class LogBook: Sendable {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { _ in Handler(book: self) }
    }

    private func add(_ line: String) { kept.withLock { $0.append(line) } }

    private struct Handler: LogHandler {
        let book: LogBook
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            book.add("\(event.level) \(event.message) \(event.metadata ?? [:])")
        }
    }
}
