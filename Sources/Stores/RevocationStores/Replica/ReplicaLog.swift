import GatewayConfiguration
import Logging
import Revocation

/// An event that is logged.
enum ReplicaEvent: Sendable, Equatable {
    case rereadStarted(ReplicaReread.Reason)
    case rereadDone(ReplicaReread.Reason, faultyKeys: Int)
    case refused(ReplicaFault)
    case recovered
    /// The server does not report its identity.
    case unknownServer
    case faultyRecord(ReplicaKey)
    case faultyKey([UInt8])
    case strangeEntry(ReplicaStreamID)
}

/// A writer of the replica's log lines.
struct ReplicaLog: Sendable {
    private static let maximumSize = 512

    let logger: Logger

    func write(_ event: ReplicaEvent) {
        switch event {
        case .rereadStarted(.gap(let gap)):
            logger.warning(
                "revocations: changes are missing; reading all records again", metadata: ["gap": "\(gap.rawValue)"])
        case .rereadStarted(let reason):
            logger.debug("revocations: reading all records", metadata: ["reason": "\(reason.name)"])
        case .rereadDone(let reason, let faultyKeys): done(reason, faultyKeys: faultyKeys)
        case .refused(let fault):
            logger.error(
                "revocations: following the changes in Redis failed",
                metadata: ["error": "\(fault.kind)", "detail": "\(fault.message)"])
        case .recovered: logger.notice("revocations: following the changes in Redis has resumed")
        case .unknownServer:
            logger.warning(
                "revocations: Redis does not report its identity (INFO); each new connection reads all records again")
        case .faultyRecord(let key):
            logger.error("invalid record in the store", metadata: ["key": "\(Self.text(key.bytes))"])
        case .faultyKey(let key):
            logger.error("unrecognised key in the store", metadata: ["key": "\(Self.text(key))"])
        case .strangeEntry(let id):
            logger.warning("unrecognised change-stream entry", metadata: ["id": "\(id)"])
        }
    }

    /// Logs a loss if it has changed.
    func write(_ loss: StoreLoss, before: StoreLoss, _ policy: StoreLossPolicy) {
        guard loss != before else { return }
        guard loss.isAny else {
            return logger.notice("revocations: the records that Redis had lost are complete again")
        }
        logger.error(
            "revocations: Redis has lost records",
            metadata: [
                "users": "\(loss.users)", "sessions": "\(loss.sessions)", "went_back": "\(loss.wentBack)",
                "on_lost_store": "\(policy.rawValue)",
            ])
    }

    func writeBroken(_ error: any Error) {
        logger.critical(
            "revocations: a record could not be applied; the view is no longer confirmed",
            metadata: ["error": "\(error)"]
        )
    }

    private func done(_ reason: ReplicaReread.Reason, faultyKeys: Int) {
        let metadata: Logger.Metadata = ["reason": "\(reason.name)", "faulty_keys": "\(faultyKeys)"]
        logger.log(level: reason == .due ? .debug : .info, "revocations: all records were read", metadata: metadata)
    }

    /// Returns text of another writer for the log: truncated, with only visible ASCII.
    private static func text(_ bytes: [UInt8]) -> String {
        let visible = bytes.prefix(maximumSize).map { 0x21...0x7e ~= $0 ? $0 : UInt8(ascii: "?") }
        return String(decoding: visible, as: UTF8.self)
    }
}
