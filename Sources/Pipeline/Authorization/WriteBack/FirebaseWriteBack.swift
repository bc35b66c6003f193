package import GatewayConfiguration
package import GatewayCore
package import Logging
package import NIOCore
import OutboundHTTP
import Revocation

/// The writers of changes of users to Firebase, one for each project and destination.
package final class FirebaseWriteBack: Sendable {
    typealias Completion = @Sendable (Result<WriteBackResult, GoogleCallFailure>) -> Void

    /// The callers by project ID.
    private let accounts: [String: GoogleCaller<AccountUpdate>]
    private let databases: [String: GoogleCaller<RevokeTimeUpdate>]

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
        var accounts: [String: GoogleCaller<AccountUpdate>] = [:]
        var databases: [String: GoogleCaller<RevokeTimeUpdate>] = [:]
        for (project, credential) in credentials {
            let path = FirebaseProjectPath(project: project, tenant: nil)
            if settings.writesAccounts {
                let update = AccountUpdate(
                    path: path, lookupURL: settings.accounts.lookupURL, updateURL: settings.updateURL)
                accounts[project] = GoogleCaller(update, credential: credential, environment: environment())
            }
            if let url = settings.databaseURL {
                let update = RevokeTimeUpdate(path: path, databaseURL: url)
                databases[project] = GoogleCaller(update, credential: credential, environment: environment())
            }
        }
        (self.accounts, self.databases) = (accounts, databases)
    }

    /// Writes a part of a user's record. It calls `completion` once. Nothing is written for a project or destination
    /// without a writer.
    ///
    /// - Parameter deadline: The time at which all requests must have ended, in monotonic nanoseconds.
    func write(_ entry: WriteBackEntry, of record: UserRecord, deadline: UInt64, completion: @escaping Completion) {
        let (uid, target) = (entry.user.uid, entry.target)
        switch entry.part {
        case .disabled:
            write(
                AccountUpdate.Payload(
                    uid: uid, target: target, change: .disabled(record.disabled), deadline: deadline),
                completion: completion)
        case .validSince:
            guard let time = record.validSince else { return completion(.success(.unchanged)) }
            write(
                AccountUpdate.Payload(uid: uid, target: target, change: .validSince(time), deadline: deadline),
                completion: completion)
        case .revokeTime:
            guard let time = record.validSince else { return completion(.success(.unchanged)) }
            write(
                RevokeTimeUpdate.Payload(uid: uid, time: time, deadline: deadline), to: target.project,
                completion: completion)
        }
    }

    func write(_ change: AccountUpdate.Payload, completion: @escaping Completion) {
        guard let caller = accounts[change.target.project] else { return completion(.success(.unconfigured)) }
        caller.call(change, completion: completion)
    }

    func write(_ entry: RevokeTimeUpdate.Payload, to project: String, completion: @escaping Completion) {
        guard let caller = databases[project] else { return completion(.success(.unconfigured)) }
        caller.call(entry, completion: completion)
    }

    /// Fails all current and later changes, and closes the connections.
    package func shutdown() async {
        for caller in accounts.values { await caller.shutdown() }
        for caller in databases.values { await caller.shutdown() }
    }

    /// Handles deadlines that were reached.
    func tick() {
        for caller in accounts.values { caller.tick() }
        for caller in databases.values { caller.tick() }
    }
}
