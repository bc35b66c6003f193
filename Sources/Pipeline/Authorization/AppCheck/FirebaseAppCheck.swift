package import Authentication
package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
package import OutboundHTTP

/// The consumer of App Check tokens at Firebase.
package final class FirebaseAppCheck: AppTokenConsumer {
    private let caller: GoogleCaller<AppTokenConsumption>
    private let consumed = ConsumedAppTokens()
    private let clock: GatewayClock

    /// Creates a consumer. It sends nothing before `start` or `consume`. Call `shutdown` before releasing it.
    package convenience init(
        _ appCheck: Configuration.AppCheck, credential: GoogleCredential, group: any EventLoopGroup,
        clock: GatewayClock = .system, logger: Logger
    ) {
        // A repeated call could find the token consumed by the first one.
        let transport = OutboundHTTPClient(
            group: group, connections: ConsumptionBounds.concurrency + 1, longest: appCheck.consumeTimeout,
            retriesClosed: false)
        self.init(
            appCheck, credential: credential,
            environment: .live(transport, loop: group.next(), clock: clock, logger: logger))
    }

    init(_ appCheck: Configuration.AppCheck, credential: GoogleCredential, environment: LookupEnvironment) {
        clock = environment.clock
        caller = GoogleCaller(
            AppTokenConsumption(
                url: appCheck.consumeURL, projectNumber: appCheck.projectNumber, timeout: appCheck.consumeTimeout),
            credential: credential, environment: environment)
    }

    /// Fetches the first access token, so that a rejected key is logged before the first request.
    package func start() { caller.start() }

    package func consume(
        _ token: [UInt8], expiringAt expiry: UnixTime, for network: PeerNetwork, while interest: LookupInterest,
        completion: @escaping @Sendable (AppTokenUse) -> Void
    ) {
        guard !consumed.contains(token, now: clock.now()) else { return completion(.repeated) }
        caller.call(token, for: network, while: interest) { [consumed] result in
            switch result {
            case .success(let use):
                // No later call can be the first use.
                if use == .first || use == .repeated { consumed.insert(token, until: expiry) }
                completion(use)
            case .failure(let failure):
                completion(.unavailable(reason: failure.reason, retryAfter: failure.retryAfter))
            }
        }
    }

    /// Resolves all waiters as unavailable, and closes the connections.
    package func shutdown() async { await caller.shutdown() }

    /// Returns the state of the calls.
    package func status() -> LookupStatus { caller.status() }

    /// Handles deadlines that were reached.
    func tick() { caller.tick() }
}
