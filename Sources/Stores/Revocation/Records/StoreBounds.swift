package import GatewayCore

/// What the store accepts. Everything else is refused before it reaches the storage.
package enum StoreBounds {
    /// The longest uid, in Unicode scalars, which is never stricter than the count by which a token's `sub` passed.
    package static let maximumUIDLength = 128
    /// The longest name of a session, in bytes of UTF-8.
    package static let maximumSessionSize = 256
    /// The latest time, in seconds since 1970. A later one is a time in milliseconds.
    package static let maximumTime = UnixTime.latest.seconds
    /// How long what may be used once is kept, at most: 30 days, in seconds.
    package static let maximumLifetime: Int64 = 2_592_000
    /// The longest purpose of a nonce, in bytes.
    package static let maximumPurposeSize = 32
    /// The purpose of a nonce that may be used for anything.
    package static let anyPurpose = "any"

    package static func check(user: UserKey) throws(StoreError) {
        try check(uid: user.uid)
        if let tenant = user.tenant, !UserKey.isTenant(tenant.utf8) { throw .invalidTenant() }
    }

    private static func check(uid: String) throws(StoreError) {
        // At most 4 bytes a scalar: the first comparison is O(1) and bounds the count.
        let length = uid.utf8.count <= 4 * maximumUIDLength ? uid.unicodeScalars.count : .max
        guard length >= 1, length <= maximumUIDLength, isPrintable(uid) else { throw .invalidUID() }
    }

    package static func check(session: String) throws(StoreError) {
        guard !session.isEmpty, session.utf8.count <= maximumSessionSize, isPrintable(session) else {
            throw .invalidSession()
        }
        // A sign-in time is spelled in one way; a record under another would never be found.
        guard !(session.utf8.first == 0x30 && session.utf8.count > 1 && session.utf8.allSatisfy { 0x30...0x39 ~= $0 })
        else { throw .paddedSession() }
    }

    /// Names have no control characters: tokens with such a `sub` are refused, and text that ends at NUL would name another.
    static func isPrintable(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    package static func time(_ seconds: Int64) throws(StoreError) -> UnixTime {
        guard let time = UnixTime(seconds) else { throw .invalidTime(seconds) }
        return time
    }

    package static func check(lifetime: Int64) throws(StoreError) {
        guard 1...maximumLifetime ~= lifetime else { throw .invalidLifetime(lifetime) }
    }

    package static func check(purpose: String) throws(StoreError) {
        guard 1...maximumPurposeSize ~= purpose.utf8.count,
            purpose.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "-") })
        else { throw .invalidPurpose() }
    }
}
