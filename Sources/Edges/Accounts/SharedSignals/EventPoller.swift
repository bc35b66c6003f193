import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
package import OutboundHTTP
package import Revocation
import Synchronization

/// The state of the polls of a transmitter.
package struct EventPollStatus: Sendable, Equatable {
    package let transmitter: String
    /// The numbers of polls with a response, without one because the transmitter had no event, and failed ones.
    package var answered: UInt64 = 0
    package var held: UInt64 = 0
    package var failed: UInt64 = 0
    /// Whether this gateway polls.
    package var isHolder = false
    /// Whether the last poll, or the access to the lease, failed.
    package var isFailing = false
}

/// The polls of one transmitter's events (RFC 8936), by the gateway that has the lease.
///
/// An event is acknowledged after its effect is stored. If a gateway stops in between, the transmitter returns the
/// event again, and its mark shows that it took effect.
package final class EventPoller: Sendable {
    private let transmitter: EventTransmitter
    private let settings: Configuration.Poll
    private let events: SecurityEvents
    private let store: any LeaseStore
    private let transport: any OutboundTransport
    private let clock: GatewayClock
    private let logger: Logger
    private let sleep: @Sendable (Duration) async throws -> Void
    /// The name of this gateway's lease.
    private let holder = RandomText.name()
    private let current: Mutex<EventPollStatus>
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Creates a poller. `nil` if the transmitter is not polled. It does nothing before `start`.
    ///
    /// - Parameter transport: The owner closes it after `cancel`, which ends a poll that the transmitter holds.
    package init?(
        _ transmitter: EventTransmitter, events: SecurityEvents, store: any LeaseStore,
        transport: any OutboundTransport, clock: GatewayClock, logger: Logger,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        guard let settings = transmitter.settings.poll else { return nil }
        self.transmitter = transmitter
        self.settings = settings
        self.events = events
        self.store = store
        self.transport = transport
        self.clock = clock
        self.logger = logger
        self.sleep = sleep
        current = Mutex(EventPollStatus(transmitter: transmitter.id))
    }

    package var status: EventPollStatus { current.withLock { $0 } }

    private var lease: String { "poll:\(transmitter.id)" }

    /// Starts polling, once.
    package func start() {
        task.withLock { task in
            if task == nil { task = Task { [self] in await run() } }
        }
    }

    /// Ends polling after the current poll.
    package func cancel() { task.withLock { $0 }?.cancel() }

    /// Waits for the end of the last poll after `cancel`, and releases the lease.
    package func finish() async {
        await task.withLock { $0 }?.value
        try? await store.releaseLease(lease, of: holder)
    }

    /// Polls until the task is cancelled.
    func run() async {
        var state = EventPollState()
        while !Task.isCancelled {
            let pause = await step(&state)
            guard pause > .zero else { continue }
            do { try await sleep(pause) } catch { return }
        }
    }

    /// Polls once, if this gateway has the lease. Returns the pause.
    private func step(_ state: inout EventPollState) async -> Duration {
        do throws(StoreError) {
            let isHolder = try await store.acquireLease(lease, by: holder, seconds: EventPollBounds.lease)
            current.withLock { $0.isHolder = isHolder }
            guard isHolder else {
                current.withLock { $0.isFailing = false }
                return EventPollBounds.leaseInterval
            }
        } catch {
            current.withLock { $0.isHolder = false }
            recordFailure("the store: \(error.code)")
            return EventPollBounds.leaseInterval
        }
        let start = clock.monotonic()
        let result = await transport.send(request(state.body), within: EventPollBounds.timeout)
        if Task.isCancelled { return .zero }
        do throws(LookupFailure) {
            let response = try result.get()
            guard response.status == 200 else {
                throw LookupFailure(response, ownCredentials: [401, 403], now: clock.now())
            }
            let (polled, hasOnlyMore) = try state.receive(response.body, now: clock.monotonic())
            recordSuccess { $0.answered += 1 }
            let wait = await process(polled, since: start, &state)
            return pause(isIdle: !state.hasSettled && !hasOnlyMore, wait: wait, since: start)
        } catch {
            if error.kind == .timedOut, elapsed(since: start) >= EventPollBounds.held {
                recordSuccess { $0.held += 1 }
                return .zero
            }
            current.withLock { $0.failed += 1 }
            recordFailure(error.kind == .status ? "status \(error.detail)" : error.kind.rawValue)
            return state.fail(error, jitter: .random(in: 0...1))
        }
    }

    private func request(_ body: [UInt8]) -> OutboundRequest {
        let authorization = settings.authorization.withBytes { String(decoding: $0, as: UTF8.self) }
        return OutboundRequest(
            method: .post, url: settings.url,
            fields: [("content-type", "application/json"), ("authorization", authorization)], body: body)
    }

    /// Processes events in their order. Returns the time after which the remaining ones may be stored, in seconds, if
    /// the keys, the store or the rate permit no further event now. An event about an unknown user without a place
    /// delays no other one.
    private func process(
        _ polled: [PolledEvent], since start: UInt64, _ state: inout EventPollState
    ) async -> Int? {
        for event in polled {
            guard elapsed(since: start) < EventPollBounds.work, !Task.isCancelled else { return nil }
            let failure = await events.take(event.token, id: event.id, of: transmitter)
            state.settle(event, failure, now: clock.monotonic())
            if case .unavailable(let denial) = failure { return denial.denial.retryAfter ?? 1 }
        }
        return nil
    }

    private func pause(isIdle: Bool, wait: Int?, since start: UInt64) -> Duration {
        if let wait { return .seconds(min(max(wait, 1), EventPollBounds.longestWait)) }
        return (isIdle ? settings.interval : EventPollBounds.spacing) - elapsed(since: start)
    }

    private func elapsed(since start: UInt64) -> Duration {
        .nanoseconds(Int64(clamping: clock.monotonic() &- start))
    }

    private func recordSuccess(_ change: (inout EventPollStatus) -> Void) {
        let wasFailing = current.withLock { status in
            change(&status)
            defer { status.isFailing = false }
            return status.isFailing
        }
        if wasFailing { logger.notice("events are polled again", metadata: ["transmitter": "\(transmitter.id)"]) }
    }

    /// Logs the first failure after a success.
    private func recordFailure(_ reason: String) {
        let wasFailing = current.withLock { status in
            defer { status.isFailing = true }
            return status.isFailing
        }
        guard !wasFailing else { return }
        logger.warning(
            "events cannot be polled", metadata: ["transmitter": "\(transmitter.id)", "reason": "\(reason)"])
    }
}

/// The polls of all transmitters of one configuration.
package final class EventPolls: Sendable {
    private let pollers: [EventPoller]
    private let transport: any OutboundTransport

    /// Creates the pollers. `nil` if no transmitter is polled.
    package init?(
        _ transmitters: [EventTransmitter], events: SecurityEvents, store: any LeaseStore,
        transport makeTransport: @autoclosure () -> any OutboundTransport, clock: GatewayClock, logger: Logger
    ) {
        guard transmitters.contains(where: { $0.settings.poll != nil }) else { return nil }
        let transport = makeTransport()
        self.transport = transport
        pollers = transmitters.compactMap {
            EventPoller($0, events: events, store: store, transport: transport, clock: clock, logger: logger)
        }
    }

    /// Creates the client of all polls. Call `stop`, or its `shutdown`, before releasing it.
    package static func client(on group: any EventLoopGroup) -> OutboundHTTPClient {
        OutboundHTTPClient(
            group: group, connections: 2, size: EventPollBounds.size, longest: EventPollBounds.timeout,
            connect: .seconds(5))
    }

    package var status: [EventPollStatus] { pollers.map(\.status) }

    package func start() {
        for poller in pollers { poller.start() }
    }

    /// Ends all polls, and releases the leases.
    package func stop() async {
        for poller in pollers { poller.cancel() }
        await transport.shutdown()
        for poller in pollers { await poller.finish() }
    }
}
