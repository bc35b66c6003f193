import JOSE

/// Says of a token, check by check, whether the gateway of one configuration takes it.
///
/// The verdict is the authenticator's own; the account asks the verifier's single checks.
public struct TokenInspector: Sendable {
    private let snapshot: Snapshot
    private let keys: KeyEvidenceSource
    private let clock: GatewayClock

    /// An inspector that verifies as a gateway with this configuration does.
    ///
    /// - Parameter fetchesKeys: whether key sets are fetched; without them no signature can be checked.
    /// - Throws: what is wrong with the configuration's routes.
    public init(
        _ configuration: Configuration, fetchesKeys: Bool = true, clock: GatewayClock = .system
    ) throws(ConfigurationErrors) {
        self.init(
            try Snapshot(configuration), keys: fetchesKeys ? .live(clock: clock) : .none, clock: clock)
    }

    init(_ snapshot: Snapshot, keys: KeyEvidenceSource, clock: GatewayClock) {
        self.snapshot = snapshot
        self.keys = keys
        self.clock = clock
    }

    /// Decodes and verifies a token, as a session cookie if it was issued as one, else as an ID token.
    public func inspect(_ token: String) async -> TokenInspection {
        let bytes = Array(token.utf8)
        return await inspect(bytes, as: kind(of: bytes)).inspection
    }

    private func kind(of token: [UInt8]) -> CredentialKind {
        guard let issuer = (try? UnverifiedJWS(token))?.payload.root["iss"] else { return .idToken }
        return snapshot.verifiers.first { issuer.equals($0.issuer) }?.kind ?? .idToken
    }

    /// Decodes and verifies a credential that arrived at the place of that kind.
    func inspect(_ token: [UInt8], as kind: CredentialKind) async -> InspectedToken {
        guard let verifier = snapshot.verifiers.first(where: { $0.kind == kind }) else {
            return refused(kind.invalidCode, "verifier", "identity.firebase is not configured: no token counts")
        }
        let jws: UnverifiedJWS
        do {
            jws = try UnverifiedJWS(token, maximumSize: Authenticator.maximumTokenSize)
        } catch {
            return refused(.argumentError, "shape", "not a compact JWS (\(error)), \(token.count) bytes")
        }
        let url = snapshot.keyURLs.indices.contains(verifier.keySet) ? snapshot.keyURLs[verifier.keySet] : nil
        let evidence = await keys.evidence(for: url)
        let (now, monotonic) = (clock.now(), clock.monotonic())
        let account = TokenAccount(verifier: verifier, evidence: evidence, now: now, monotonic: monotonic)
        let (code, entry) = verdict(on: token, kind, verifier, evidence, now: now, monotonic: monotonic)
        let shape = ExplanationStep(.passed, "shape", "compact JWS, \(token.count) bytes")
        let inspection = TokenInspection(
            header: PrettyJSON.text(of: jws.header), payload: PrettyJSON.text(of: jws.payload),
            steps: [shape] + account.steps(of: jws), code: code)
        return InspectedToken(inspection: inspection, entry: entry)
    }

    private func refused(_ code: DecisionCode, _ name: String, _ detail: String) -> InspectedToken {
        let step = ExplanationStep(.failed, name, detail)
        return InspectedToken(
            inspection: TokenInspection(header: nil, payload: nil, steps: [step], code: code), entry: nil)
    }

    /// What the request path says.
    private func verdict(
        on token: [UInt8], _ kind: CredentialKind, _ verifier: FirebaseVerifier, _ evidence: KeyEvidence, now: Int64,
        monotonic: UInt64
    ) -> (DecisionCode, VerifiedTokenCache.Entry?) {
        guard let hasher = SHA256Hasher() else { return (.internalError, nil) }
        let renderer = snapshot.outgoing.identity
        let authenticator = Authenticator(
            verifiers: snapshot.verifiers, keySets: snapshot.keyURLs.count, hasher: hasher,
            counters: WorkerCounters(routes: 0, upstreams: 0), render: { renderer.render($0) })
        authenticator.install(evidence.view, set: verifier.keySet)
        let outcome = token.withUnsafeBytes { bytes in
            authenticator.authenticate(bytes, kind: kind, now: now, monotonic: monotonic, waitingSince: 0)
        }
        switch outcome {
        case .verified(let entry): return (.ok, entry)
        case .refused(let failure): return (failure.code, nil)
        case .unavailable, .awaitKeys: return (.keysUnavailable, nil)
        }
    }
}
