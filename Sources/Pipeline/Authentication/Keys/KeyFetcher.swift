package import OutboundHTTP

/// Asks a source for its key set, once.
///
/// A fetch ends within a bound of its own, and soon after its task was cancelled. It is never called twice at a time for
/// one source.
package protocol KeyFetcher: Sendable {
    /// The key set of `source` now.
    func fetch(_ source: KeySetSource) async throws(KeyFetchError) -> FetchedKeySet
}
