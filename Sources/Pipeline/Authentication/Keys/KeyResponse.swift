package import JOSE
package import OutboundHTTP

/// A whole answer of a key source with status 200, as bytes.
struct KeyResponse: Sendable {
    var cacheControl: String?
    var age: String?
    var body: [UInt8]

    /// The key set in it, whatever the `Content-Type` says: sources use several, and none proves anything.
    ///
    /// - Parameter now: seconds since 1970, for certificates' validity.
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

/// A key set that a source answered with and that can verify something: it has a usable key with an id.
package struct FetchedKeySet: Sendable {
    /// The keys.
    package let keys: KeySet
    /// How long the source says that they may be kept, in seconds; 0 when it does not say.
    package let maxAge: UInt64
    /// What the discovery document lists for ID tokens, as far as it can be verified; nil without a document or a list.
    package var algorithms: Set<Algorithm>?

    /// - Throws: `noUsableKeys` for a set in which no key has an id, so that such an answer can never take a good set's
    ///   place. Tokens must name their key.
    package init(_ keys: KeySet, maxAge: UInt64) throws(KeyFetchError) {
        guard keys.keys.contains(where: { $0.keyID != nil }) else {
            let first = keys.skipped.first.map { ", the first because: \($0.reason)" } ?? ""
            throw KeyFetchError(.noUsableKeys, "\(keys.skipped.count) skipped\(first)")
        }
        self.keys = keys
        self.maxAge = maxAge
    }
}
