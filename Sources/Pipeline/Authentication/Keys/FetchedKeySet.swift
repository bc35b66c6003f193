package import JOSE
package import OutboundHTTP

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
