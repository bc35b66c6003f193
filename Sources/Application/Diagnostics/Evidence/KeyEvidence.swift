import Accounts
import Authentication
import GatewayCore
import JOSE
import NIOPosix
import OutboundHTTP

/// The known state of a key set for judging a token.
enum KeyEvidence: Sendable {
    /// The current response of the source.
    case fetched(FetchedKeySet, of: KeySetSource)
    /// The fetch failed.
    case failed(KeyFetchError, of: KeySetSource)
    /// The source was not fetched.
    case notFetched(of: KeySetSource)
    /// Emulator tokens are not signed.
    case notNeeded
    /// The keys of the gateway's own session cookies, and their location.
    case sessions(SessionKeys, from: String)
    /// The keys were not found, with the reason.
    case noSessions(String)

    /// The view of a worker in this state: a set that was just fetched, or an unreachable source.
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

    /// The source and the number of keys, or the reason for their absence.
    var source: String {
        switch self {
        case .fetched(let set, let source):
            "\(Self.count(set.keys.keys.count)) of \(source.name)"
        case .failed(let error, let source):
            "no keys of \(source.name): \(error.explanation.what); \(error.explanation.remedy)"
        case .notFetched(let source): "the keys of \(source.name) were not fetched"
        case .notNeeded: "no keys"
        case .sessions(let keys, let place): "\(Self.count(keys.published.count)) of \(place)"
        case .noSessions(let why): why
        }
    }

    private static func count(_ keys: Int) -> String { "\(keys) \(keys == 1 ? "key" : "keys")" }
}

/// The fetching of key sets for diagnosis.
struct KeyEvidenceSource: Sendable {
    /// `nil` if no source is fetched.
    let fetch: (@Sendable (KeySetSource) async -> KeyEvidence)?

    /// Fetches sources over HTTP, with the limits of the gateway's own fetches.
    static func live(clock: GatewayClock) -> KeyEvidenceSource {
        KeyEvidenceSource { source in
            let fetcher = HTTPKeyFetcher(group: MultiThreadedEventLoopGroup.singleton, clock: clock)
            let evidence: KeyEvidence
            do throws(KeyFetchError) {
                evidence = .fetched(try await fetcher.fetch(source), of: source)
            } catch {
                evidence = .failed(error, of: source)
            }
            // It fails only if the client was already shut down.
            try? await fetcher.shutdown()
            return evidence
        }
    }

    /// A source that performs no fetches.
    static let none = KeyEvidenceSource(fetch: nil)

    func evidence(for source: KeySetSource?) async -> KeyEvidence {
        guard let source else { return .notNeeded }
        return await fetch?(source) ?? .notFetched(of: source)
    }
}
