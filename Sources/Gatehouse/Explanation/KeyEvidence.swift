import JOSE
import NIOPosix

/// What is known of a key set when a token is to be judged.
enum KeyEvidence: Sendable {
    /// The source's answer of now.
    case fetched(FetchedKeySet, url: String)
    /// The source gave none.
    case failed(KeyFetchError, url: String)
    /// It was not asked for it.
    case notFetched(url: String)
    /// Emulator tokens are not signed.
    case notNeeded

    /// What a worker would know by it: a set that was just read, or one whose source is down.
    var view: KeySetView {
        guard case .fetched(let set, _) = self else {
            return KeySetView(cooldownUntil: .max, nextFetchAt: .max)
        }
        return KeySetView(
            keys: set.keys, generation: 1, isLoaded: true, lastFetchSucceeded: true, completedFetches: 1,
            usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
    }

    /// Which set it is, and what it holds.
    var source: String {
        switch self {
        case .fetched(let set, let url):
            "\(set.keys.keys.count) \(set.keys.keys.count == 1 ? "key" : "keys") of \(KeySource.name(of: url))"
        case .failed(let error, let url): "\(KeySource.name(of: url)) gave no keys: \(error)"
        case .notFetched(let url): "the keys of \(KeySource.name(of: url)) were not fetched"
        case .notNeeded: "no keys"
        }
    }
}

/// Reads key sets once, for diagnosis.
struct KeyEvidenceSource: Sendable {
    /// Nil: no source is asked.
    let fetch: (@Sendable (String) async -> KeyEvidence)?

    /// Asks the sources over HTTP, with the bounds of the gateway's own fetches.
    static func live(clock: GatewayClock) -> KeyEvidenceSource {
        KeyEvidenceSource { url in
            let fetcher = HTTPKeyFetcher(group: MultiThreadedEventLoopGroup.singleton, clock: clock)
            let evidence: KeyEvidence
            do throws(KeyFetchError) {
                evidence = .fetched(try await fetcher.fetch(url), url: url)
            } catch {
                evidence = .failed(error, url: url)
            }
            // It fails only when it was shut down before.
            try? await fetcher.shutdown()
            return evidence
        }
    }

    /// Asks nobody.
    static let none = KeyEvidenceSource(fetch: nil)

    func evidence(for url: String?) async -> KeyEvidence {
        guard let url else { return .notNeeded }
        return await fetch?(url) ?? .notFetched(url: url)
    }
}
