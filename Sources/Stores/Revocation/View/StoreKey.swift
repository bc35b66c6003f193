package import JOSE

/// The key of a record in the view: the first 128 bits of a SHA-256.
///
/// It is computed once for a token and cached with it. With 128 bits, the probability of a collision among 10 million
/// users is below 2^-81; a deliberate collision costs 2^64 hashes. Users and sessions have separate tables, so their
/// keys cannot collide.
package struct StoreKey: Sendable, Hashable {
    package let high: UInt64
    /// Never 0, which marks a free slot in the table.
    package let low: UInt64

    /// Creates a key from two words of a digest.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low == 0 ? 1 : low
    }

    /// Creates the key of a user: the hash of the UTF-8 of ``UserKey/name``. `nil` if libcrypto fails.
    init?(userName name: UnsafeRawBufferPointer, hasher: SHA256Hasher) {
        guard let digest = hasher.hash(name) else { return nil }
        self.init(digest)
    }

    /// Creates the key of a session: the hash of the size of the user's name (4 bytes, big-endian), the name and the
    /// session. `nil` if libcrypto fails.
    ///
    /// The size distinguishes (`ab`, `c`) from (`a`, `bc`).
    init?(userName name: UnsafeRawBufferPointer, session: UnsafeRawBufferPointer, hasher: SHA256Hasher) {
        let size = 4 + name.count + session.count
        let digest = withUnsafeTemporaryAllocation(byteCount: size, alignment: 8) { buffer in
            buffer.storeBytes(of: UInt32(truncatingIfNeeded: name.count).bigEndian, as: UInt32.self)
            UnsafeMutableRawBufferPointer(rebasing: buffer[4..<(4 + name.count)]).copyMemory(from: name)
            UnsafeMutableRawBufferPointer(rebasing: buffer[(4 + name.count)...]).copyMemory(from: session)
            return hasher.hash(UnsafeRawBufferPointer(buffer))
        }
        guard let digest else { return nil }
        self.init(digest)
    }

    /// Creates the key of a user. `nil` if libcrypto fails.
    package init?(_ user: UserKey, hasher: SHA256Hasher) {
        guard let key = user.name.withBytes({ StoreKey(userName: $0, hasher: hasher) }) else { return nil }
        self = key
    }

    /// Creates the key of a session of a user. `nil` if libcrypto fails.
    package init?(_ user: UserKey, session: String, hasher: SHA256Hasher) {
        let key = user.name.withBytes { name in
            session.withBytes { StoreKey(userName: name, session: $0, hasher: hasher) }
        }
        guard let key else { return nil }
        self = key
    }

    private init(_ digest: SHA256Digest) {
        self = digest.withUnsafeBytes { bytes in
            StoreKey(
                high: UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)),
                low: UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
        }
    }
}

extension String {
    /// Calls `body` with the string's UTF-8. A native string is not copied.
    fileprivate func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        if let result = utf8.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) { return result }
        return Array(utf8).withUnsafeBytes(body)
    }
}

/// A factory of keys for the writing side of the view, which throws if libcrypto fails. Not thread-safe.
package struct StoreKeyMaker {
    private let hasher: SHA256Hasher

    package init() throws(StoreError) {
        guard let hasher = SHA256Hasher() else { throw Self.failure() }
        self.hasher = hasher
    }

    package func key(userName name: UnsafeRawBufferPointer) throws(StoreError) -> StoreKey {
        guard let key = StoreKey(userName: name, hasher: hasher) else { throw Self.failure() }
        return key
    }

    package func key(userName name: UnsafeRawBufferPointer, session: UnsafeRawBufferPointer) throws(StoreError)
        -> StoreKey
    {
        guard let key = StoreKey(userName: name, session: session, hasher: hasher) else { throw Self.failure() }
        return key
    }

    package func key(of user: UserKey) throws(StoreError) -> StoreKey {
        guard let key = StoreKey(user, hasher: hasher) else { throw Self.failure() }
        return key
    }

    package func key(of user: UserKey, session: String) throws(StoreError) -> StoreKey {
        guard let key = StoreKey(user, session: session, hasher: hasher) else { throw Self.failure() }
        return key
    }

    private static func failure() -> StoreError {
        StoreError(.internalFailure, "libcrypto could not compute a SHA-256")
    }
}
