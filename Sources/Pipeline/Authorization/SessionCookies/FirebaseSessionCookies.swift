package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP
package import Revocation

/// The creator of Firebase's own session cookies.
package final class FirebaseSessionCookies: Sendable {
    /// The result of a call.
    package enum Outcome: Sendable, Equatable {
        case created(String)
        /// Identity Toolkit rejects the ID token, with its error code.
        case rejected(String)
        /// There is no result. The reason is for the log.
        case unavailable(reason: String, retryAfter: Int?)
    }

    private let caller: GoogleCaller<SessionCookieCreation>

    /// Creates a creator. It sends nothing before `start` or `create`. Call `shutdown` before releasing it.
    ///
    /// - Parameter url: The URL, with `{project}` as a placeholder for the project and the tenant.
    package convenience init(
        url: String, path: FirebaseProjectPath, credential: GoogleCredential, group: any EventLoopGroup,
        clock: GatewayClock = .system, logger: Logger
    ) {
        let transport = OutboundHTTPClient(group: group, connections: 9, longest: SessionCookieCreation.timeout)
        self.init(
            url: url, path: path, credential: credential,
            environment: .live(transport, loop: group.next(), clock: clock, logger: logger))
    }

    init(url: String, path: FirebaseProjectPath, credential: GoogleCredential, environment: LookupEnvironment) {
        caller = GoogleCaller(
            SessionCookieCreation(path: path, url: url), credential: credential, environment: environment)
    }

    /// Fetches the first access token, so that a rejected key is logged before the first request.
    package func start() { caller.start() }

    /// Creates a cookie from an ID token that the caller has verified.
    ///
    /// - Parameter lifetime: 300 to 1,209,600 seconds.
    package func create(
        for user: UserKey, idToken: String, lifetime: Int64, network: PeerNetwork
    ) async -> Outcome {
        let payload = SessionCookieCreation.Payload(user: user, idToken: idToken, lifetime: lifetime)
        return await withCheckedContinuation { continuation in
            caller.call(payload, for: network) { result in
                switch result {
                case .success(.created(let cookie)): continuation.resume(returning: .created(cookie))
                case .success(.rejected(let code)): continuation.resume(returning: .rejected(code))
                case .failure(let failure):
                    continuation.resume(
                        returning: .unavailable(reason: failure.reason, retryAfter: failure.retryAfter))
                }
            }
        }
    }

    /// Resolves all calls as unavailable, and closes the connections.
    package func shutdown() async { await caller.shutdown() }
}
