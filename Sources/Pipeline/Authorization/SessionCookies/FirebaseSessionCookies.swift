package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP
package import Revocation

/// The creators of Firebase's own session cookies, one for each Firebase project.
package final class FirebaseSessionCookies: Sendable {
    /// The result of a call.
    package enum Outcome: Sendable, Equatable {
        case created(String)
        /// Identity Toolkit rejects the ID token, with its error code.
        case rejected(String)
        /// There is no result. The reason is for the log.
        case unavailable(reason: String, retryAfter: Int?)
    }

    /// The project of one creator.
    package struct Project: Sendable {
        let id: String
        /// The tenant of users whose key has none.
        let tenant: String?
        let credential: GoogleCredential

        package init(id: String, tenant: String?, credential: GoogleCredential) {
            (self.id, self.tenant, self.credential) = (id, tenant, credential)
        }
    }

    /// The callers by project ID.
    private let callers: [String: GoogleCaller<SessionCookieCreation>]
    /// The first project, whose users have keys without a project.
    private let first: String?

    /// Creates the creators. They send nothing before `start` or `create`. Call `shutdown` before releasing them.
    ///
    /// - Parameter url: The URL, with `{project}` as a placeholder for the project and the tenant.
    package convenience init(
        url: String, projects: [Project], group: any EventLoopGroup, clock: GatewayClock = .system, logger: Logger
    ) {
        self.init(url: url, projects: projects) {
            let transport = OutboundHTTPClient(group: group, connections: 9, longest: SessionCookieCreation.timeout)
            return .live(transport, loop: group.next(), clock: clock, logger: logger)
        }
    }

    /// - Parameter environment: Returns the environment of one creator.
    init(url: String, projects: [Project], environment: () -> LookupEnvironment) {
        var callers: [String: GoogleCaller<SessionCookieCreation>] = [:]
        for project in projects {
            let path = FirebaseProjectPath(project: project.id, tenant: project.tenant)
            callers[project.id] = GoogleCaller(
                SessionCookieCreation(path: path, url: url), credential: project.credential,
                environment: environment())
        }
        self.callers = callers
        first = projects.first?.id
    }

    /// Fetches the first access tokens, so that a rejected key is logged before the first request.
    package func start() {
        for caller in callers.values { caller.start() }
    }

    /// Creates a cookie from an ID token that the caller has verified. A user without a project is that of the first
    /// one.
    ///
    /// - Parameter lifetime: 300 to 1,209,600 seconds.
    package func create(
        for user: UserKey, idToken: String, lifetime: Int64, network: PeerNetwork
    ) async -> Outcome {
        guard let caller = (user.project ?? first).flatMap({ callers[$0] }) else {
            return .unavailable(reason: "the user's project is not configured", retryAfter: nil)
        }
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
    package func shutdown() async {
        for caller in callers.values { await caller.shutdown() }
    }
}
