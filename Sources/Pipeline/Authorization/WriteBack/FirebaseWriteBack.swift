package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP

/// The writer of changes of users to Identity Toolkit.
package final class FirebaseWriteBack: Sendable {
    private let caller: GoogleCaller<AccountUpdate>

    /// Creates a writer. It sends nothing before the first change. Call `shutdown` before releasing it.
    package convenience init(
        _ settings: Configuration.WriteBack, path: FirebaseProjectPath, credential: GoogleCredential,
        group: any EventLoopGroup, clock: GatewayClock = .system, logger: Logger
    ) {
        let transport = OutboundHTTPClient(
            group: group, connections: WriteBackBounds.concurrency + 1, size: AccountLookup.sizeLimit,
            longest: AccountUpdate.timeout)
        self.init(
            settings, path: path, credential: credential,
            environment: .live(transport, loop: group.next(), clock: clock, logger: logger))
    }

    init(
        _ settings: Configuration.WriteBack, path: FirebaseProjectPath, credential: GoogleCredential,
        environment: LookupEnvironment
    ) {
        caller = GoogleCaller(
            AccountUpdate(
                path: path, lookupURL: settings.accounts.lookupURL, updateURL: settings.updateURL),
            credential: credential, environment: environment)
    }

    /// Writes a change. It calls `completion` once.
    func write(
        _ change: AccountUpdate.Payload,
        completion: @escaping @Sendable (Result<WriteBackResult, GoogleCallFailure>) -> Void
    ) {
        caller.call(change, completion: completion)
    }

    /// Fails all current and later changes, and closes the connections.
    package func shutdown() async { await caller.shutdown() }

    /// Handles deadlines that were reached.
    func tick() { caller.tick() }
}
