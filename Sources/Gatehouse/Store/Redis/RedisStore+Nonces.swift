public import JOSE
import Redis

extension RedisStore: NonceStore {
    /// Keeps a nonce for so many seconds.
    public func putNonce(_ nonce: SHA256Digest, lifetime: Int64) async throws(StoreError) {
        try checkOpen()
        try StoreBounds.check(lifetime: lifetime)
        guard try await ask(RedisCommand(["SET", RedisKeys.nonce(nonce), "", "EX", lifetime])) == [.status("OK")] else {
            throw .unexpectedReply()
        }
    }

    /// Takes a nonce, by reading and removing it in one step.
    public func takeNonce(_ nonce: SHA256Digest) async throws(StoreError) -> Bool {
        try checkOpen()
        switch try await ask(RedisCommand(["GETDEL", RedisKeys.nonce(nonce)])).first {
        case .string: return true
        case .null: return false
        default: throw .unexpectedReply()
        }
    }

    /// Marks a credential, if it is not marked.
    public func markSeen(_ credential: SHA256Digest, lifetime: Int64) async throws(StoreError) -> Bool {
        try checkOpen()
        try StoreBounds.check(lifetime: lifetime)
        let command = RedisCommand(["SET", RedisKeys.seen(credential), "", "EX", lifetime, "NX"])
        switch try await ask(command).first {
        case .status("OK"): return true
        case .null: return false
        default: throw .unexpectedReply()
        }
    }
}
