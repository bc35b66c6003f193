/// What is worth a line in the log.
enum ReplicaEvent: Sendable, Equatable {
    case rereadBegun(ReplicaReread.Reason)
    case rereadDone(ReplicaReread.Reason, faultyKeys: Int)
    case refused(ReplicaFault)
    case recovered
    /// The server does not tell who it is.
    case unknownServer
    case faultyRecord(ReplicaKey)
    case faultyKey([UInt8])
    case strangeEntry(ReplicaStreamID)
}

extension ReplicaFault {
    static func otherShape(_ command: ReplicaCommand) -> ReplicaFault {
        ReplicaFault(kind: "\(command.name) shape", message: "an answer of another shape than the command's")
    }

    static let notMaster = ReplicaFault(
        kind: "INFO role", message: "the server is a replica, which may lack what was acknowledged; name its master")

    static let noWait = ReplicaFault(
        kind: "XREAD BLOCK", message: "the server does not wait for entries, or was told not to")

    static let otherOrder = ReplicaFault(
        kind: "XREAD order", message: "entries that do not follow the one that they were asked after")
}

extension ReplicaCommand {
    /// The command's name in Redis.
    var name: String {
        switch self {
        case .identity: "INFO"
        case .information: "XINFO"
        case .changes: "XREAD"
        case .slice: "SCAN"
        case .record: "HMGET"
        }
    }
}
