import GatewayCore
import Logging
import NIOCore
import Redis

/// The regular fetches of credentials that change. Failures keep the earlier credentials, and are repeated.
final class CredentialRenewal: Sendable {
    /// Returns the text that `FetchedCredentials` parses.
    typealias Fetch = @Sendable () async -> Result<[UInt8], FetchedCredentials.Failure>

    private let renewer: NIOLoopBoundBox<Renewer>
    private let loop: any EventLoop

    /// Creates a renewal, which does nothing before `start`.
    ///
    /// - Parameters:
    ///   - credentials: Receives the credentials, and reports their rejection.
    ///   - username: The user in the configuration.
    ///   - interval: The maximum interval of fetches.
    init(
        of credentials: RenewedCredentials, username: String?, every interval: Duration, loop: any EventLoop,
        clock: GatewayClock, logger: Logger, fetch: @escaping Fetch
    ) {
        self.loop = loop
        let renewer = Renewer(
            credentials, username: username, schedule: CredentialSchedule(interval: interval.nanoseconds), loop: loop,
            clock: clock, logger: logger, fetch: fetch)
        self.renewer = NIOLoopBoundBox.makeBoxSendingValue(renewer, eventLoop: loop)
    }

    func start() {
        loop.execute { self.renewer.value.start() }
    }

    func stop() async {
        await withCheckedContinuation { continuation in
            loop.execute {
                self.renewer.value.stop()
                continuation.resume()
            }
        }
    }
}

/// The timer and the state of a `CredentialRenewal`. It belongs to one event loop.
private final class Renewer {
    /// The maximum lifetime that is distinguished from longer ones, in seconds.
    private static let longest: Int64 = 86_400 * 365

    private let credentials: RenewedCredentials
    private let username: String?
    private let loop: any EventLoop
    private let clock: GatewayClock
    private let logger: Logger
    private let fetch: CredentialRenewal.Fetch
    private var schedule: CredentialSchedule
    private var timer: Scheduled<Void>?
    private var isStopped = false
    private var loggedFailure: FetchedCredentials.Failure?

    init(
        _ credentials: RenewedCredentials, username: String?, schedule: CredentialSchedule, loop: any EventLoop,
        clock: GatewayClock, logger: Logger, fetch: @escaping CredentialRenewal.Fetch
    ) {
        (self.credentials, self.username, self.schedule) = (credentials, username, schedule)
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
        isStopped = true
        credentials.onRejection(nil)
        timer?.cancel()
    }

    private func fetchAfterRejection() {
        guard !isStopped, schedule.fetchesOnRejection(at: clock.monotonic()) else { return }
        begin()
    }

    private func begin() {
        guard !isStopped else { return }
        timer?.cancel()
        schedule.began(at: clock.monotonic())
        let bound = NIOLoopBound(self, eventLoop: loop)
        Task { [fetch, loop] in
            let result = await fetch()
            loop.execute { bound.value.end(result) }
        }
    }

    private func end(_ result: Result<[UInt8], FetchedCredentials.Failure>) {
        guard !isStopped else { return }
        do throws(FetchedCredentials.Failure) {
            let fetched = try FetchedCredentials(parsing: try result.get(), username: username)
            loggedFailure = nil
            credentials.renew(fetched.credentials)
            let lifetime = fetched.expires.map { UInt64(clamping: min($0.seconds - clock.now(), Self.longest)) }
            wait(schedule.succeeded(lifetime: lifetime.map { $0 * 1_000_000_000 }))
        } catch {
            log(error)
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
