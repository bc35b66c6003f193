import GatewayCore
import JOSE
import Synchronization

/// The App Check tokens that this gateway knows to be consumed, so that their replays need no call.
///
/// Bounded: the token that was recorded first is evicted, and its replay needs a call again. The key is the SHA-256 of
/// the token.
final class ConsumedAppTokens: Sendable {
    private struct State {
        /// `nil` if libcrypto has no SHA-256. No token is recorded then.
        let hasher = SHA256Hasher()
        var expiries: BoundedTable<SHA256Digest, UnixTime>
    }

    /// The maximum number of tokens, of about 100 bytes each.
    static let capacity = 65_536

    private let state: Mutex<State>

    init(capacity: Int = ConsumedAppTokens.capacity) {
        state = Mutex(State(expiries: BoundedTable(limit: capacity)))
    }

    /// Returns whether a token is known to be consumed.
    ///
    /// - Parameter now: Unix seconds.
    func contains(_ token: [UInt8], now: Int64) -> Bool {
        state.withLock { state in
            guard let key = state.hasher?.hash(token), let expiry = state.expiries[key] else { return false }
            guard !expiry.isAfter(now) else { return true }
            state.expiries.remove(key)
            return false
        }
    }

    /// Records a consumed token until its expiry.
    func insert(_ token: [UInt8], until expiry: UnixTime) {
        state.withLock { state in
            guard let key = state.hasher?.hash(token) else { return }
            state.expiries.set(expiry, for: key)
        }
    }
}
