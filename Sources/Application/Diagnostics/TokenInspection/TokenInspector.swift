import Accounts
import Authentication
import Forwarding
import Gatehouse
package import GatewayConfiguration
package import GatewayCore
import JOSE

/// The inspection of tokens, check by check, with the configuration of one gateway.
///
/// The authenticator determines the verdict; the steps show each of the verifier's checks.
package struct TokenInspector: Sendable {
    let snapshot: Snapshot
    private let keys: KeyEvidenceSource
    private let sessions: SessionEvidenceSource
    let opaqueTokens: OpaqueEvidenceSource
    let clock: GatewayClock

    /// Creates an inspector that verifies like a gateway with this configuration.
    ///
    /// - Throws: The errors of the configuration's routes.
    package init(_ configuration: Configuration, clock: GatewayClock = .system) throws(ConfigurationErrors) {
        let snapshot = try Snapshot(configuration)
        self.init(
            snapshot, keys: .live(clock: clock), sessions: .live(configuration, snapshot),
            opaqueTokens: .live(clockSkew: configuration.identity.clockSkew, clock: clock), clock: clock)
    }

    init(
        _ snapshot: Snapshot, keys: KeyEvidenceSource, sessions: SessionEvidenceSource = .none,
        opaqueTokens: OpaqueEvidenceSource = .none, clock: GatewayClock
    ) {
        self.snapshot = snapshot
        self.keys = keys
        self.sessions = sessions
        self.opaqueTokens = opaqueTokens
        self.clock = clock
    }

    /// Decodes and verifies a token: as a session cookie if it was issued as one, otherwise as an ID token. An opaque
    /// token is introspected.
    ///
    /// - Parameter provider: The ID of the introspecting provider. `nil` for the only one.
    /// - Throws: `TokenInspectionError` if the provider is ambiguous or unknown.
    package func inspect(
        _ token: String, provider: String? = nil
    ) async throws(TokenInspectionError) -> TokenInspection {
        let bytes = Array(token.utf8)
        let kind = kind(of: bytes)
        let choice = try OpaqueChoice.named(provider, snapshot)
        let ids = snapshot.opaqueProviders.map(\.id)
        if Self.isOpaque(bytes, kind), choice.place == nil, !ids.isEmpty { throw .unclearProvider(ids) }
        return await inspect(bytes, as: kind, choice).inspection
    }

    /// Returns the state of a key set by its index.
    func evidence(forKeySet set: Int) async -> KeyEvidence {
        await keys.evidence(for: snapshot.keySources.indices.contains(set) ? snapshot.keySources[set] : nil)
    }

    private func kind(of token: [UInt8]) -> CredentialKind {
        guard let jws = try? UnverifiedJWS(token) else { return .idToken }
        if SessionVerifier.judges(jws) { return .sessionCookie }
        guard let issuer = jws.payload.root["iss"] else { return .idToken }
        let isCookie = snapshot.verifiers.verifiers.contains { verifier in
            guard case .firebase(let firebase) = verifier else { return false }
            return firebase.kind == .sessionCookie && issuer.equals(firebase.issuer)
        }
        return isCookie ? .sessionCookie : .idToken
    }

    /// Decodes and verifies a credential of this kind. `choice` is the introspecting provider, if the token is opaque.
    func inspect(_ token: [UInt8], as kind: CredentialKind, _ choice: OpaqueChoice) async -> InspectedToken {
        if Self.isOpaque(token, kind) { return await inspect(opaque: token, choice) }
        let jws: UnverifiedJWS
        do {
            jws = try UnverifiedJWS(token, maximumSize: Authenticator.maximumTokenSize)
        } catch {
            let step = ExplanationStep(.failed, "shape", "not a JWT, \(token.count) bytes: \(error.explanation)")
            return InspectedToken(
                inspection: TokenInspection(header: nil, payload: nil, steps: [step], code: .argumentError), entry: nil)
        }
        let shape = ExplanationStep(.passed, "shape", "compact JWS, \(token.count) bytes")
        let (steps, code, entry, keys) = await judge(token, jws, kind)
        let inspection = TokenInspection(
            header: PrettyJSON.text(of: jws.header), payload: PrettyJSON.text(of: jws.payload), steps: [shape] + steps,
            code: code)
        return InspectedToken(inspection: inspection, entry: entry, keys: keys)
    }

    private func judge(
        _ token: [UInt8], _ jws: UnverifiedJWS, _ kind: CredentialKind
    ) async -> ([ExplanationStep], DecisionCode, VerifiedTokenCache.Entry?, KeyEvidence?) {
        let index: Int
        do throws(VerificationFailure) {
            index = try snapshot.verifiers.index(for: jws, kind)
        } catch {
            return (misuse(of: jws) + [stepWithoutVerifier(jws, kind, error)], error.code, nil, nil)
        }
        let verifier = snapshot.verifiers.verifiers[index]
        let evidence = await evidence(for: verifier)
        let (now, monotonic) = (clock.now(), clock.monotonic())
        let transcript = TokenTranscript(verifier: verifier, evidence: evidence, now: now, monotonic: monotonic)
        let (code, entry) = verdict(on: token, kind, verifier, evidence, now: now, monotonic: monotonic)
        return (misuse(of: jws) + transcript.steps(of: jws), code, entry, evidence)
    }

    private func evidence(for verifier: TokenVerifier) async -> KeyEvidence {
        if case .session = verifier { return await sessions.lookUp() }
        return await keys.evidence(for: verifier.keySet.map { snapshot.keySources[$0] })
    }

    /// Returns a failed step for a gateway token that is never valid as a credential here.
    private func misuse(of token: UnverifiedJWS) -> [ExplanationStep] {
        if token.type?.utf8.elementsEqual(SessionKeys.pendingType.utf8) == true {
            return [
                ExplanationStep(
                    .failed, "use", "a pending token of a gateway, which is accepted only by sign-in and link")
            ]
        }
        guard SessionVerifier.judges(token), snapshot.sessionSet == nil else { return [] }
        return [
            ExplanationStep(.failed, "use", "a session cookie of a gateway, but accounts is not configured")
        ]
    }

    /// Returns the step for a token without a verifier.
    private func stepWithoutVerifier(
        _ token: UnverifiedJWS, _ kind: CredentialKind, _ failure: VerificationFailure
    ) -> ExplanationStep {
        guard failure.reason == .issuer else { return ExplanationStep(.failed, "kind", failure.reason.rawValue) }
        let issuer = ShownText.claim(token.payload.root["iss"])
        guard snapshot.verifiers.verifiers.contains(where: { $0.kind == kind }) else {
            return ExplanationStep(
                .failed, "verifier", "no verifier in identity is configured for this kind of token: \(issuer)")
        }
        return ExplanationStep(
            .failed, "iss", "\(failure.reason.rawValue): \(issuer) is not an issuer of identity.providers")
    }

    /// Returns the decision of the request path.
    private func verdict(
        on token: [UInt8], _ kind: CredentialKind, _ verifier: TokenVerifier, _ evidence: KeyEvidence, now: Int64,
        monotonic: UInt64
    ) -> (DecisionCode, VerifiedTokenCache.Entry?) {
        guard let hasher = SHA256Hasher() else { return (.internalError, nil) }
        let renderer = snapshot.outgoing.identity
        let authenticator = Authenticator(
            verifiers: snapshot.verifiers, keySets: snapshot.keySetCount, hasher: hasher,
            counters: WorkerCounters(routes: 0, upstreams: 0), render: { renderer.render($0) })
        if let set = verifier.keySet { authenticator.install(evidence.view, set: set) }
        let outcome = token.withUnsafeBytes { bytes in
            authenticator.authenticate(bytes, kind: kind, now: now, monotonic: monotonic, waitingSince: 0)
        }
        switch outcome {
        case .verified(let entry): return (.ok, entry)
        case .refused(let failure): return (failure.code, nil)
        case .unavailable, .awaitKeys: return (.keysUnavailable, nil)
        case .awaitOwner: return (.storeUnavailable, nil)
        }
    }
}
