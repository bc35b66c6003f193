import Redis
import Revocation

extension StoreError {
    /// Converts a missing reply.
    init(_ failure: RedisFailure) {
        switch failure {
        case .overloaded: self.init(.overloaded, "too many operations are waiting for Redis; nothing was written")
        case .closed: self = .closed()
        case .notConnected(let problem): self.init(.io, "nothing was written: \(problem)")
        case .timedOut, .connectionLost:
            self.init(.io, "\(failure); the outcome of the write is unknown, and the operation can be repeated")
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
            self.init(
                .readOnly, "the Redis server is a read-only replica; configure the master or sentinels in `store`")
        case "NOAUTH", "WRONGPASS":
            self.init(
                .cannotOpen, "Redis rejected the credentials (\(refusal.code)); check the user and password in `store`")
        case "NOPERM":
            self.init(
                .cannotOpen,
                "the gateway's Redis user lacks a permission (\(refusal.code)); grant the permissions listed in the manual"
            )
        case "MOVED", "ASK", "CROSSSLOT", "CLUSTERDOWN":
            self.init(.incompatible, "the server is part of a Redis Cluster; configure redis+cluster:// in `store`")
        case "LOADING", "MASTERDOWN", "BUSY", "TRYAGAIN", "NOREPLICAS", "MISCONF", "UNBLOCKED":
            self.init(.io, "Redis cannot execute the command now (\(refusal.code)); check its log")
        case "WRONGTYPE": self = .faultyRecord(repair: "its key has the wrong type")
        default:
            self.init(.incompatible, "Redis rejected the command (\(refusal.code)); version 7.0 or later is required")
        }
    }

    /// The error for a user's key of the wrong type.
    static func userIsNoHash() -> StoreError {
        .faultyRecord(repair: "the user's key is not a hash; unrevoke the user to remove it")
    }

    /// The error for a reply of the wrong form.
    static func unexpectedReply() -> StoreError {
        StoreError(.incompatible, "Redis sent an unexpected reply; check that the server is Redis 7.0 or later")
    }
}

extension [RedisValue] {
    /// Returns the `number` fields of the only reply.
    func fields(_ number: Int) throws(StoreError) -> [RedisValue] {
        guard count == 1, case .array(let fields) = self[0], fields.count == number else { throw .unexpectedReply() }
        return fields
    }
}
