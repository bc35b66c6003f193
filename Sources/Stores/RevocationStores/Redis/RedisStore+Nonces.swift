package import JOSE
import Redis
package import Revocation

extension RedisStore: NonceStore {
    /// Stores a nonce for `lifetime` seconds.
    package func putNonce(_ nonce: SHA256Digest, purpose: String, lifetime: Int64) async throws(StoreError) {
        try StoreBounds.check(purpose: purpose)
        try StoreBounds.check(lifetime: lifetime)
        let command = RedisCommand(["SET", RedisKeys.nonce(nonce), purpose, "EX", lifetime])
        guard try await commands.query(command) == [.status("OK")] else { throw .unexpectedReply() }
    }

    /// Consumes a nonce by reading and removing it in one step.
    ///
    /// Another backend may have stored it. A purpose that no caller expects uses up the nonce without effect.
    package func takeNonce(_ nonce: SHA256Digest) async throws(StoreError) -> String? {
        switch try await commands.query(RedisCommand(["GETDEL", RedisKeys.nonce(nonce)])).first {
        case .string(let bytes): return bytes.isEmpty ? StoreBounds.anyPurpose : String(decoding: bytes, as: UTF8.self)
        case .null: return nil
        default: throw .unexpectedReply()
        }
    }

    /// Marks a credential, unless it is marked.
    package func markSeen(_ credential: SHA256Digest, lifetime: Int64) async throws(StoreError) -> Bool {
        try StoreBounds.check(lifetime: lifetime)
        let command = RedisCommand(["SET", RedisKeys.seen(credential), "", "EX", lifetime, "NX"])
        switch try await commands.query(command).first {
        case .status("OK"): return true
        case .null: return false
        default: throw .unexpectedReply()
        }
    }

    /// Returns whether a credential is marked.
    package func isSeen(_ credential: SHA256Digest) async throws(StoreError) -> Bool {
        switch try await commands.query(RedisCommand(["TYPE", RedisKeys.seen(credential)])).first {
        case .status("none"): return false
        case .status: return true
        default: throw .unexpectedReply()
        }
    }
}
