import GatewayConfiguration
import GatewayCore
import JOSE

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

/// An authenticator of providers with known key sets.
struct ProviderRig {
    let authenticator: Authenticator
    let counters = WorkerCounters(routes: 1, upstreams: 1)
    let sources: [KeySetSource]

    /// - Parameters:
    ///   - loaded: Whether the key sets were read.
    ///   - keys: The key sets of sources that belong to no sample.
    init(
        _ providers: [Configuration.Provider], firebase: Configuration.Firebase? = nil, loaded: Bool = true,
        keys: [KeySetSource: KeySet] = [:]
    ) throws {
        var identity = Configuration.Identity()
        identity.providers = providers
        identity.firebase = firebase
        let (table, sources) = VerifierTable.make(of: identity)
        self.sources = sources
        authenticator = Authenticator(
            verifiers: table, keySets: sources.count, hasher: try SHA256Hasher.required(), counters: counters,
            render: { _ in .empty })
        guard loaded else { return }
        for source in sources { install(keys[source] ?? Self.keys(of: source), of: source) }
    }

    /// The samples with their minimal configurations.
    init(_ samples: [ProviderSample], firebase: Configuration.Firebase? = nil, loaded: Bool = true) throws {
        try self.init(samples.map { $0.provider() }, firebase: firebase, loaded: loaded)
    }

    private static func keys(of source: KeySetSource) -> KeySet {
        let sample = ProviderSample.allCases.first { KeySetSource($0.keys) == source }
        return sample?.keySet ?? TokenDraft.keys
    }

    /// The state of the set of one source.
    func install(
        _ keys: KeySet, of source: KeySetSource, algorithms: Set<Algorithm>? = nil, generation: UInt64 = 1
    ) {
        guard let set = sources.firstIndex(of: source) else { return }
        authenticator.install(.loaded(keys, algorithms: algorithms, generation: generation), set: set)
    }

    func outcome(
        _ token: String, _ kind: CredentialKind = .idToken, now: Int64 = ManualClock.start
    ) -> Authenticator.Outcome {
        Array(token.utf8).withUnsafeBytes {
            authenticator.authenticate($0, kind: kind, now: now, monotonic: 0, waitingSince: nil)
        }
    }

    func principal(_ token: String) -> Principal? {
        guard case .verified(let entry) = outcome(token) else { return nil }
        return entry.principal
    }

    func refusal(_ token: String, _ kind: CredentialKind = .idToken) -> VerificationFailure? {
        guard case .refused(let failure) = outcome(token, kind) else { return nil }
        return failure
    }

    func reason(_ token: String) -> VerificationFailure.Reason? { refusal(token)?.reason }

    var hits: UInt64 { counters.snapshot()[.tokenCacheHits] }
}

extension KeySetView {
    /// A set that was fetched once and stays usable.
    static func loaded(
        _ keys: KeySet, algorithms: Set<Algorithm>? = nil, issuer: String? = nil, generation: UInt64 = 1
    ) -> KeySetView {
        KeySetView(
            keys: keys, algorithms: algorithms, issuer: issuer, generation: generation, isLoaded: true,
            lastFetchSucceeded: true, completedFetches: 1, usableUntil: .max, cooldownUntil: .max, nextFetchAt: .max)
    }
}

extension RenderedIdentity {
    static var empty: RenderedIdentity { RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false) }
}
