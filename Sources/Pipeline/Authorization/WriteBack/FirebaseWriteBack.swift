package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP
import Revocation

/// The writers of changes of users to Identity Toolkit, one for each Firebase project.
package final class FirebaseWriteBack: Sendable {
    /// The callers by project ID.
    private let callers: [String: GoogleCaller<AccountUpdate>]

    /// Creates the writers. They send nothing before the first change. Call `shutdown` before releasing them.
    ///
    /// - Parameter credentials: The credentials by project ID.
    package convenience init(
        _ settings: Configuration.WriteBack, credentials: [String: GoogleCredential], group: any EventLoopGroup,
        clock: GatewayClock = .system, logger: Logger
    ) {
        self.init(settings, credentials: credentials) {
            let transport = OutboundHTTPClient(
                group: group, connections: WriteBackBounds.concurrency + 1, size: AccountLookup.sizeLimit,
                longest: AccountUpdate.timeout)
            return .live(transport, loop: group.next(), clock: clock, logger: logger)
        }
    }

    /// - Parameter environment: Returns the environment of one writer.
    init(
        _ settings: Configuration.WriteBack, credentials: [String: GoogleCredential],
        environment: () -> LookupEnvironment
    ) {
        var callers: [String: GoogleCaller<AccountUpdate>] = [:]
        for (project, credential) in credentials {
            let update = AccountUpdate(
                path: FirebaseProjectPath(project: project, tenant: nil), lookupURL: settings.accounts.lookupURL,
                updateURL: settings.updateURL)
            callers[project] = GoogleCaller(update, credential: credential, environment: environment())
        }
        self.callers = callers
    }

    /// Writes a change. It calls `completion` once. Nothing is written for a project without a writer.
    func write(
        _ change: AccountUpdate.Payload,
        completion: @escaping @Sendable (Result<WriteBackResult, GoogleCallFailure>) -> Void
    ) {
        guard let caller = callers[change.target.project] else { return completion(.success(.unconfigured)) }
        caller.call(change, completion: completion)
    }

    /// Fails all current and later changes, and closes the connections.
    package func shutdown() async {
        for caller in callers.values { await caller.shutdown() }
    }

    /// Handles deadlines that were reached.
    func tick() {
        for caller in callers.values { caller.tick() }
    }
}
