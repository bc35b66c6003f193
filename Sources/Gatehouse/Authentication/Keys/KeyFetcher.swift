/// Asks a source for its key set, once.
///
/// A fetch ends within a bound of its own, and soon after its task was cancelled. It is never called twice at a time for
/// one URL.
public protocol KeyFetcher: Sendable {
    /// The key set at `url` now.
    func fetch(_ url: String) async throws(KeyFetchError) -> FetchedKeySet
}
