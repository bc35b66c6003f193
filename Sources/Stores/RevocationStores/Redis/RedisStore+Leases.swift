import Redis
package import Revocation

/// Leases, which Redis ends.
extension RedisStore: LeaseStore {
    /// Acquires or renews a lease.
    package func acquireLease(
        _ name: String, by holder: String, seconds: Int64
    ) async throws(StoreError) -> Bool {
        let command = RedisScript.acquireLease.command(RedisKeys.lease(name), [holder, "\(seconds)"])
        guard case .integer(let isHolder)? = try await commands.query(command, faulty: Self.faultyLease()).first else {
            throw .unexpectedReply()
        }
        return isHolder == 1
    }

    /// Releases a lease, if the caller has it.
    package func releaseLease(_ name: String, of holder: String) async throws(StoreError) {
        let command = RedisScript.deleteIfEqual.command(RedisKeys.lease(name), [holder])
        _ = try await commands.query(command, faulty: Self.faultyLease())
    }

    private static func faultyLease() -> StoreError {
        .faultyRecord(repair: "the key of a lease is not a string; remove it")
    }
}

extension RedisScript {
    /// Acquires or renews a lease for ARGV[1] and ARGV[2] seconds. Returns 1 if the caller has it, otherwise 0.
    static let acquireLease = RedisScript(
        """
        local holder = redis.call('GET', KEYS[1])
        if holder and holder ~= ARGV[1] then return 0 end
        redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
        return 1
        """)
}
