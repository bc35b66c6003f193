import GatewayCore
import Logging
import NIOCore
import Redis
import Revocation
import Synchronization

/// The regular fetches of credentials that change. Failures keep the earlier credentials, and are repeated.
final class CredentialRenewal: Sendable {
    typealias Fetch = @Sendable () async -> Result<FetchedCredentials, FetchedCredentials.Failure>

    private let renewer: NIOLoopBoundBox<Renewer>
    private let loop: any EventLoop
    private let state = RenewalState()

    /// The renewals so far.
    var status: StoreHealth.Credentials { state.status }

    /// Creates a renewal, which does nothing before `start`.
    ///
    /// - Parameters:
    ///   - credentials: Receives the credentials, and reports their rejection.
    init(
        of credentials: RenewedCredentials, schedule: CredentialSchedule, loop: any EventLoop, clock: GatewayClock,
        logger: Logger, fetch: @escaping Fetch
    ) {
        self.loop = loop
        let renewer = Renewer(
            credentials, schedule: schedule, state: state, loop: loop, clock: clock, logger: logger, fetch: fetch)
        self.renewer = NIOLoopBoundBox.makeBoxSendingValue(renewer, eventLoop: loop)
    }

    func start() {
        loop.execute { self.renewer.value.start() }
    }

    /// Stops the renewal. The result of a fetch that is in progress is discarded.
    func stop() async {
        state.stop()
        await withCheckedContinuation { continuation in
            loop.execute {
                self.renewer.value.stop()
                continuation.resume()
            }
        }
    }
}

/// The part of a `CredentialRenewal` that any thread may use.
private final class RenewalState: Sendable {
    private let state = Mutex((status: StoreHealth.Credentials(), isStopped: false))

    var status: StoreHealth.Credentials { state.withLock { $0.status } }
    /// Whether the event loop may have ended.
    var isStopped: Bool { state.withLock { $0.isStopped } }

    func stop() { state.withLock { $0.isStopped = true } }

    func succeeded(until expires: UnixTime?) {
        state.withLock { state in
            state.status.renewals += 1
            (state.status.expires, state.status.failing) = (expires, nil)
        }
    }

    /// Returns whether the current credentials have expired.
    func failed(_ failure: FetchedCredentials.Failure, at now: Int64) -> Bool {
        state.withLock { state in
            state.status.failures += 1
            state.status.failing = failure.description
            return state.status.expires.map { $0 <= UnixTime(clamping: now) } ?? false
        }
    }
}

/// The timer of a `CredentialRenewal`. It belongs to one event loop.
private final class Renewer {
    /// The maximum lifetime that is distinguished from longer ones, in seconds.
    private static let longest: Int64 = 86_400 * 365

    private let credentials: RenewedCredentials
    private let state: RenewalState
    private let loop: any EventLoop
    private let clock: GatewayClock
    private let logger: Logger
    private let fetch: CredentialRenewal.Fetch
    private var schedule: CredentialSchedule
    private var timer: Scheduled<Void>?
    private var loggedFailure: FetchedCredentials.Failure?

    init(
        _ credentials: RenewedCredentials, schedule: CredentialSchedule, state: RenewalState, loop: any EventLoop,
        clock: GatewayClock, logger: Logger, fetch: @escaping CredentialRenewal.Fetch
    ) {
        (self.credentials, self.schedule, self.state) = (credentials, schedule, state)
        (self.loop, self.clock, self.logger, self.fetch) = (loop, clock, logger, fetch)
    }

    func start() {
        let bound = NIOLoopBound(self, eventLoop: loop)
        credentials.onRejection { [loop] in
            loop.execute { bound.value.fetchAfterRejection() }
        }
        begin()
    }

    func stop() {
        credentials.onRejection(nil)
        timer?.cancel()
    }

    private func fetchAfterRejection() {
        guard !state.isStopped, schedule.fetchesOnRejection(at: clock.monotonic()) else { return }
        begin()
    }

    private func begin() {
        guard !state.isStopped else { return }
        timer?.cancel()
        schedule.began(at: clock.monotonic())
        let bound = NIOLoopBound(self, eventLoop: loop)
        Task { [fetch, loop, state] in
            let result = await fetch()
            guard !state.isStopped else { return }
            loop.execute { bound.value.end(result) }
        }
    }

    private func end(_ result: Result<FetchedCredentials, FetchedCredentials.Failure>) {
        guard !state.isStopped else { return }
        switch result {
        case .success(let fetched):
            if loggedFailure != nil { logger.notice("the credentials for Redis are renewed again") }
            loggedFailure = nil
            state.succeeded(until: fetched.expires)
            credentials.renew(fetched.credentials)
            let lifetime = fetched.expires.map { UInt64(clamping: min($0.seconds - clock.now(), Self.longest)) }
            wait(schedule.succeeded(lifetime: lifetime.map { $0 * 1_000_000_000 }))
        case .failure(let failure):
            log(failure)
            credentials.renewalFailed(
                failure.description, hasExpired: state.failed(failure, at: clock.now()))
            wait(schedule.failed())
        }
    }

    private func wait(_ nanoseconds: UInt64) {
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(Int64(clamping: nanoseconds))) { [weak self] in
            self?.begin()
        }
    }

    private func log(_ failure: FetchedCredentials.Failure) {
        guard failure != loggedFailure else { return }
        loggedFailure = failure
        logger.error("the credentials for Redis could not be renewed", metadata: ["error": "\(failure)"])
    }
}
