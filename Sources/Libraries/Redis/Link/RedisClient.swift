public import Logging
public import NIOCore

/// Redis for everything off the request path: one link, to be used from any task.
public final class RedisClient: Sendable {
    private let link: NIOLoopBoundBox<RedisLink>
    private let loop: any EventLoop
    private let sharedStatus: SharedRedisLinkStatus
    private let timeout: UInt64

    /// Does nothing before `start`.
    ///
    /// - Parameters:
    ///   - loop: where the link lives; it must outlive the client.
    ///   - clock: nanoseconds of a monotonic clock.
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

    /// How it is doing.
    public var status: RedisLinkStatus { sharedStatus.current }

    /// Begins to connect.
    public func start() {
        loop.execute { self.link.value.start() }
    }

    /// Ends the connection. Commands that wait fail with `.closed`.
    public func close() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.link.value.stop()
                continuation.resume()
            }
        }
    }

    /// Sends a command, or several in a row, and returns a reply for each; fewer only where one of them is a refusal after
    /// which the connection was given up.
    ///
    /// - Parameter timeout: how long the replies may take; nil: the configuration's `replyTimeout`.
    /// - Throws: when not all replies came. There being no connection is such a failure at once.
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

    /// Waits for a connection, at most so long. Returns whether there is one.
    public func isReady(within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while status.state != .ready {
            guard ContinuousClock.now < end else { return false }
            // Once in a while and off the request path: no list of waiters is worth its code.
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return false }
        }
        return true
    }
}

/// Gathers the replies of one call.
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
        // What the server said tells more than that it was left for saying so.
        let isRefused = values.contains { $0.serverError != nil }
        continuation.resume(returning: isRefused ? .success(values) : .failure(failure))
    }
}
