import JOSE

/// Makes keys where a failure of libcrypto must be an error: on the writing side of the view. For one thread.
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
