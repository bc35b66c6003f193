import Redis
import Revocation

extension StoreError {
    /// Converts a missing reply.
    init(_ failure: RedisFailure) {
        switch failure {
        case .overloaded: self.init(.overloaded, "too many operations wait for Redis already; nothing was written")
        case .closed: self = .closed()
        case .notConnected(let problem): self.init(.io, "nothing was written: \(problem)")
        case .timedOut, .connectionLost:
            self.init(.io, "\(failure); whether it was written is unknown, and repeating it is safe")
        }
    }

    /// Converts an error reply.
    ///
    /// The server's text is not repeated: it may contain the name of a key, and so a uid.
    init(_ refusal: RedisServerError) {
        switch refusal.code {
        case "OOM":
            self.init(.full, "Redis has no memory left (OOM); raise its maxmemory or remove other data")
        case "READONLY":
            self.init(.readOnly, "the Redis server is a read-only replica; name the master in `store`, or sentinels")
        case "NOPERM", "NOAUTH", "WRONGPASS":
            self.init(
                .cannotOpen,
                "Redis does not let the gateway's user do this (\(refusal.code)); give it the rights that the manual lists"
            )
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN":
            self.init(.incompatible, "the server is part of a Redis Cluster, which is not supported yet")
        case "LOADING", "MASTERDOWN", "BUSY", "TRYAGAIN", "NOREPLICAS", "MISCONF", "UNBLOCKED":
            self.init(.io, "Redis cannot do this now (\(refusal.code)); see its log")
        case "WRONGTYPE": self = .faultyRecord(repair: "its key is not of the type that it should be")
        default:
            self.init(.incompatible, "Redis refused the command (\(refusal.code)); version 7.0 or later is needed")
        }
    }

    /// The error for a user's key of the wrong type.
    static func userIsNoHash() -> StoreError {
        .faultyRecord(repair: "the user's key is no hash; unrevoke the user, which removes it")
    }

    /// The error for a reply of the wrong form.
    static func unexpectedReply() -> StoreError {
        StoreError(.incompatible, "Redis gave an unexpected reply; is the server a Redis, of version 7.0 or later?")
    }
}

extension [RedisValue] {
    /// Returns the `number` fields of the only reply.
    func fields(_ number: Int) throws(StoreError) -> [RedisValue] {
        guard count == 1, case .array(let fields) = self[0], fields.count == number else { throw .unexpectedReply() }
        return fields
    }
}
