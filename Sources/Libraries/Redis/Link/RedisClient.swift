public import Logging
public import NIOCore

/// A Redis client for use from any task, outside the request path. It owns one link.
public final class RedisClient: Sendable {
    private let link: NIOLoopBoundBox<RedisLink>
    private let loop: any EventLoop
    private let sharedStatus: SharedRedisLinkStatus
    private let timeout: UInt64

    /// Creates a client. It does nothing before `start`.
    ///
    /// - Parameters:
    ///   - loop: The event loop of the link, which must outlive the client.
    ///   - clock: Nanoseconds of a monotonic clock.
    public init(
        _ configuration: RedisConfiguration, loop: any EventLoop, logger: Logger,
        clock: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
    ) {
        let link = RedisLink(configuration, loop: loop, logger: logger, clock: clock)
        self.loop = loop
        sharedStatus = link.sharedStatus
        timeout = configuration.replyTimeout.nanosecondsClamped
        self.link = NIOLoopBoundBox.makeBoxSendingValue(link, eventLoop: loop)
    }

    /// The status of the link.
    public var status: RedisLinkStatus { sharedStatus.current }

    /// Starts connecting.
    public func start() {
        loop.execute { self.link.value.start() }
    }

    /// Closes the connection. Pending commands fail with `.closed`.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.link.value.stop()
                continuation.resume()
            }
        }
    }

    /// Sends a command or pipeline and returns a reply for each command. There are fewer replies only if an error of
    /// the server closed the connection.
    ///
    /// - Parameter timeout: The timeout of the replies. `nil` for the configured `replyTimeout`.
    /// - Throws: `RedisFailure` if replies are missing; at once if there is no connection.
    public func send(_ command: RedisCommand, timeout: Duration? = nil) async throws(RedisFailure) -> [RedisValue] {
        let nanoseconds = timeout?.nanosecondsClamped ?? self.timeout
        let result = await withCheckedContinuation { continuation in
            loop.execute {
                let collector = Collector(command.count, continuation)
                self.link.value.send(command, ticket: 0, timeout: nanoseconds, to: collector)
            }
        }
        return try result.get()
    }

    /// Waits until the link is ready. Returns `false` after `limit`.
    public func isReady(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while status.state != .ready {
            guard ContinuousClock.now < end else { return false }
            // Polling is enough off the request path.
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return false }
        }
        return true
    }
}

/// Collects the replies of one call.
private final class Collector: RedisReceiver {
    private let continuation: CheckedContinuation<Result<[RedisValue], RedisFailure>, Never>
    private let count: Int
    private var values: [RedisValue] = []

    init(_ count: Int, _ continuation: CheckedContinuation<Result<[RedisValue], RedisFailure>, Never>) {
        self.count = count
        self.continuation = continuation
    }

    func received(_ reply: RedisReply, ticket: UInt64) {
        values.append(reply.value())
        if values.count == count { continuation.resume(returning: .success(values)) }
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        // The server's error is more specific than the closed connection that follows it.
        let isRefused = values.contains { $0.serverError != nil }
        continuation.resume(returning: isRefused ? .success(values) : .failure(failure))
    }
}
