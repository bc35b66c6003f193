package import GatewayCore
package import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reports to a service manager such as systemd.
///
/// A message that cannot be sent is logged and dropped. The gateway never waits for the manager.
package final class Supervisor: Sendable {
    /// A function that waits, or throws if the task was cancelled.
    typealias Wait = @Sendable (Duration) async throws -> Void

    /// The maximum time from the open listeners to `READY=1`, for the store and the key sets. A request waits as long
    /// for them.
    static let readinessLimit = Duration.seconds(5)
    /// The intervals of checking the readiness, before and after `READY=1`.
    private static let readinessIntervals = (before: Duration.milliseconds(100), after: Duration.seconds(1))
    /// The maximum number of unsent messages. Older ones are dropped.
    private static let maximumUnsent = 64
    /// The number of attempts while the manager's queue is full, and the time between them.
    private static let attempts = (count: 10, interval: Duration.milliseconds(100))

    private let state = Mutex(ServiceState())
    private let watchdog: Duration?
    private let send: @Sendable (String) -> NotifySocket.Outcome
    private let messages: AsyncStream<String>
    private let unsent: AsyncStream<String>.Continuation
    private let wait: Wait
    private let clock: GatewayClock
    private let logger: Logger

    /// Connects to the service manager. `nil` if the system has no socket for it, which is logged.
    package convenience init?(_ settings: SupervisorSettings, clock: GatewayClock = .system, logger: Logger) {
        guard let socket = NotifySocket(settings.socket) else {
            logger.warning("no socket for the service manager", metadata: ["error": "\(Self.reason(errno))"])
            return nil
        }
        self.init(watchdog: settings.watchdog, clock: clock, logger: logger, send: socket.send)
    }

    init(
        watchdog: Duration?, clock: GatewayClock, logger: Logger,
        wait: @escaping Wait = { try await Task.sleep(for: $0) },
        send: @escaping @Sendable (String) -> NotifySocket.Outcome
    ) {
        (messages, unsent) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.maximumUnsent))
        self.watchdog = watchdog
        self.clock = clock
        self.logger = logger
        self.wait = wait
        self.send = send
    }

    // MARK: - Events

    /// Reports that a reload begins.
    func reloadBegan() {
        let now = clock.monotonic()
        post { $0.reloadBegan(at: now) }
    }

    /// Reports that a reload ended.
    func reloadEnded(_ status: ServingStatus) {
        post { $0.reloadEnded(status) }
    }

    /// Reports that the gateway stops, for at most `limit`.
    func stopping(within limit: Duration) {
        post { $0.stopping(within: limit) }
    }

    /// The message is posted within the lock, so that messages have the order of the states.
    private func post(_ event: (inout ServiceState) -> String?) {
        state.withLock { state in
            if let message = event(&state) { unsent.yield(message) }
        }
    }

    // MARK: - Tasks

    /// Reports `READY=1` once the gateway is ready, at the latest after ``readinessLimit``, and its readiness
    /// afterwards. Returns when it is ready.
    func announce(_ status: @Sendable () -> ServingStatus) async {
        var waited = Duration.zero
        var isAnnounced = false
        while !Task.isCancelled {
            let status = status()
            if status.isReady || !isAnnounced && waited >= Self.readinessLimit {
                post { $0.serving(status) }
                isAnnounced = true
            }
            if status.isReady { return }
            let interval = isAnnounced ? Self.readinessIntervals.after : Self.readinessIntervals.before
            try? await wait(interval)
            waited += interval
        }
    }

    /// Sends pings at half of the watchdog's interval while the event loops run. Returns when they have ended, or the
    /// task is cancelled.
    ///
    /// - Parameter turn: Returns after each event loop has run a task. While one does not, there is no ping.
    func ping(after turn: @Sendable () async throws -> Void) async {
        guard let watchdog else { return }
        while !Task.isCancelled {
            do {
                try await turn()
                unsent.yield(ServiceState.watchdogPing)
                try await wait(watchdog / 2)
            } catch {
                return
            }
        }
    }

    /// Sends the messages in their order, until the task is cancelled.
    func deliver() async {
        var isFailing = false
        for await message in messages {
            let outcome = await sendRepeatedly(message)
            if outcome != .sent, !isFailing {
                logger.warning(
                    "the service manager receives no messages", metadata: ["error": "\(Self.reason(of: outcome))"])
            }
            isFailing = outcome != .sent
        }
    }

    private func sendRepeatedly(_ message: String) async -> NotifySocket.Outcome {
        var outcome = send(message)
        var attempt = 1
        while outcome == .full, attempt < Self.attempts.count, !Task.isCancelled {
            try? await wait(Self.attempts.interval)
            outcome = send(message)
            attempt += 1
        }
        return outcome
    }

    private static func reason(of outcome: NotifySocket.Outcome) -> String {
        switch outcome {
        case .sent: "none"
        case .full: "its queue is full"
        case .failed(let number): reason(number)
        }
    }

    private static func reason(_ number: CInt) -> String { String(cString: strerror(number)) }
}
