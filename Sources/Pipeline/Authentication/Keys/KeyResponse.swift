import JOSE
import OutboundHTTP

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
