import Accounts
import Authentication
import GatewayCore
import JOSE
import NIOPosix
import OutboundHTTP

/// What is known of a key set when a token is to be judged.
enum KeyEvidence: Sendable {
    /// The source's answer of now.
    case fetched(FetchedKeySet, of: KeySetSource)
    /// The source gave none.
    case failed(KeyFetchError, of: KeySetSource)
    /// It was not asked for it.
    case notFetched(of: KeySetSource)
    /// Emulator tokens are not signed.
    case notNeeded
    /// The keys of the gateway's own session cookies, and where they were found.
    case sessions(SessionKeys, from: String)
    /// They could not be found, and why.
    case noSessions(String)

    /// What a worker would know by it: a set that was just read, or one whose source is down.
    var view: KeySetView {
        switch self {
        case .fetched(let set, _):
            KeySetView(
                keys: set.keys, algorithms: set.algorithms, generation: 1, isLoaded: true, lastFetchSucceeded: true,
                completedFetches: 1, usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
        case .sessions(let keys, _): keys.view
        case .failed, .notFetched, .notNeeded, .noSessions: KeySetView(cooldownUntil: .max, nextFetchAt: .max)
        }
    }

    /// Which set it is, and what it holds.
    var source: String {
        switch self {
        case .fetched(let set, let source):
            "\(Self.count(set.keys.keys.count)) of \(source.name)"
        case .failed(let error, let source): "\(source.name) gave no keys: \(error)"
        case .notFetched(let source): "the keys of \(source.name) were not fetched"
        case .notNeeded: "no keys"
        case .sessions(let keys, let place): "\(Self.count(keys.published.count)) of \(place)"
        case .noSessions(let why): why
        }
    }

    private static func count(_ keys: Int) -> String { "\(keys) \(keys == 1 ? "key" : "keys")" }
}

/// Reads key sets once, for diagnosis.
struct KeyEvidenceSource: Sendable {
    /// Nil: no source is asked.
    let fetch: (@Sendable (KeySetSource) async -> KeyEvidence)?

    /// Asks the sources over HTTP, with the bounds of the gateway's own fetches.
    static func live(clock: GatewayClock) -> KeyEvidenceSource {
        KeyEvidenceSource { source in
            let fetcher = HTTPKeyFetcher(group: MultiThreadedEventLoopGroup.singleton, clock: clock)
            let evidence: KeyEvidence
            do throws(KeyFetchError) {
                evidence = .fetched(try await fetcher.fetch(source), of: source)
            } catch {
                evidence = .failed(error, of: source)
            }
            // It fails only when it was shut down before.
            try? await fetcher.shutdown()
            return evidence
        }
    }

    /// Asks nobody.
    static let none = KeyEvidenceSource(fetch: nil)

    func evidence(for source: KeySetSource?) async -> KeyEvidence {
        guard let source else { return .notNeeded }
        return await fetch?(source) ?? .notFetched(of: source)
    }
}
