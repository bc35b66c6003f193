public import Logging
public import NIOCore

/// The regular queries to all sentinels, which keep a `MasterAgreement` up to date while its links are healthy.
///
/// A healthy link is no evidence that its server is still the master: a former master that was isolated accepts
/// commands until the sentinels reach it, and later. So this object asks every sentinel for the master's address in
/// each interval, over one connection to each. It moves the links to an address that more than half of the sentinels
/// name, and closes them while fewer than half respond.
public final class SentinelWatch: Sendable {
    private let poller: NIOLoopBoundBox<SentinelPoller>
    private let loop: any EventLoop

    /// Creates a watch, which does nothing before `start`. `nil` without sentinels or without an agreement.
    ///
    /// - Parameters:
    ///   - loop: The event loop of its connections, which must outlive the watch.
    ///   - clock: Nanoseconds of a monotonic clock.
    public init?(
        _ configuration: RedisConfiguration, loop: any EventLoop, logger: Logger,
        clock: @escaping @Sendable () -> UInt64 = { NIODeadline.now().uptimeNanoseconds }
    ) {
        guard case .sentinels(let sentinels, let master) = configuration.location, !sentinels.isEmpty,
            let agreement = configuration.agreement
        else { return nil }
        self.loop = loop
        let poller = SentinelPoller(
            sentinels, master: master, agreement, configuration, loop: loop, logger: logger, clock: clock)
        self.poller = NIOLoopBoundBox.makeBoxSendingValue(poller, eventLoop: loop)
    }

    /// Starts connecting to the sentinels.
    public func start() {
        loop.execute { self.poller.value.start() }
    }

    /// Closes the connections. The links keep their server.
    public func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.poller.value.stop()
                continuation.resume()
            }
        }
    }
}

/// The connections and the timer of a `SentinelWatch`. It belongs to one event loop.
private final class SentinelPoller {
    private let links: [RedisLink]
    private let query: RedisCommand
    private let agreement: MasterAgreement
    private let loop: any EventLoop
    private let logger: Logger
    private let clock: @Sendable () -> UInt64
    private let interval: UInt64
    private let timeout: UInt64
    private var poll: SentinelPoll
    private var begunAt: UInt64 = 0
    private var timer: Scheduled<Void>?
    private var isStopped = false
    private var wasQuorate = true

    /// The interval of heartbeats, which the queries replace. The user of sentinels needs no right to `PING`.
    private static let noHeartbeats = Duration.seconds(86_400)

    init(
        _ sentinels: [RedisEndpoint], master: String, _ agreement: MasterAgreement, _ configuration: RedisConfiguration,
        loop: any EventLoop, logger: Logger, clock: @escaping @Sendable () -> UInt64
    ) {
        (self.agreement, self.loop, self.logger, self.clock) = (agreement, loop, logger, clock)
        query = Handshake.masterQuery(master)
        interval = configuration.sentinelInterval.nanosecondsClamped
        timeout = configuration.replyTimeout.nanosecondsClamped
        poll = SentinelPoll(count: sentinels.count, quorumLimit: configuration.quorumLimit.nanosecondsClamped)
        var configuration = configuration
        (configuration.agreement, configuration.renewal, configuration.refusesCopies) = (nil, nil, false)
        configuration.heartbeatInterval = Self.noHeartbeats
        links = sentinels.map { sentinel in
            configuration.location = .sentinel(sentinel, master: master)
            return RedisLink(configuration, loop: loop, logger: logger, clock: clock)
        }
    }

    func start() {
        for link in links { link.start() }
        wait(interval)
    }

    func stop() {
        isStopped = true
        timer?.cancel()
        for link in links { link.stop() }
    }

    private func begin() {
        guard !isStopped else { return }
        begunAt = clock()
        poll.begin(at: begunAt)
        for link in links { link.send(query, ticket: 0, timeout: timeout, to: self) }
    }

    private func answered(_ address: RedisEndpoint?) {
        guard !isStopped, let finding = poll.answered(address) else { return }
        log(agreement.polled(finding), finding)
        let elapsed = clock() &- begunAt
        wait(elapsed < interval ? interval - elapsed : 0)
    }

    /// Waits for the next round, with jitter so that the gateways of a fleet do not ask at once.
    private func wait(_ nanoseconds: UInt64) {
        let delay = nanoseconds.adding(UInt64.random(in: 0...(interval / 10)))
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: delay))) { [weak self] in
            self?.begin()
        }
    }

    private func log(_ order: MasterAgreement.Order?, _ finding: SentinelPoll.Finding) {
        if case .move(let endpoint)? = order {
            logger.warning(
                "the sentinels name another Redis master; all connections move there",
                metadata: ["redis.endpoint": "\(endpoint)"])
        }
        guard finding.isQuorate != wasQuorate else { return }
        wasQuorate = finding.isQuorate
        if wasQuorate {
            logger.notice("at least half of the Redis sentinels respond again")
        } else {
            logger.error("fewer than half of the Redis sentinels respond; the connections to the master are closed")
        }
    }
}

extension SentinelPoller: RedisReceiver {
    func received(_ reply: RedisReply, ticket: UInt64) {
        if case .done(.master(let address)) = Handshake.master(reply) { answered(address) } else { answered(nil) }
    }

    func failed(_ failure: RedisFailure, ticket: UInt64) {
        answered(nil)
    }
}
