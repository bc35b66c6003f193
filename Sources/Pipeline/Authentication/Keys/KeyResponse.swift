package import JOSE
package import OutboundHTTP

/// A complete response of a key source with status 200, as bytes.
struct KeyResponse: Sendable {
    var cacheControl: String?
    var age: String?
    var body: [UInt8]

    /// Returns the key set of the body. The `Content-Type` is ignored: sources use several, and it proves nothing.
    ///
    /// - Parameter now: Seconds since 1970, for the validity of certificates.
    func keys(now: Int64) throws(KeyFetchError) -> FetchedKeySet {
        let keys: KeySet
        do {
            keys = try KeySet(detecting: body, now: now)
        } catch {
            throw KeyFetchError(.notAKeySet, "\(error)")
        }
        return try FetchedKeySet(keys, maxAge: CacheControl.freshness(cacheControl: cacheControl, age: age))
    }
}

/// A fetched key set with at least one usable key that has an ID.
package struct FetchedKeySet: Sendable {
    /// The keys.
    package let keys: KeySet
    /// How long the response may be stored, in seconds. 0 if the source does not state it.
    package let maxAge: UInt64
    /// The supported algorithms that the discovery document lists for ID tokens. `nil` without a document or a list.
    package var algorithms: Set<Algorithm>?

    /// Creates a fetched key set.
    ///
    /// - Throws: `noUsableKeys` if no key has an ID, because tokens must name their key. Such a response never replaces
    ///   a good set.
    package init(_ keys: KeySet, maxAge: UInt64) throws(KeyFetchError) {
        guard keys.keys.contains(where: { $0.keyID != nil }) else {
            let first = keys.skipped.first.map { ", the first because: \($0.reason)" } ?? ""
            throw KeyFetchError(.noUsableKeys, "\(keys.skipped.count) skipped\(first)")
        }
        self.keys = keys
        self.maxAge = maxAge
    }
}
