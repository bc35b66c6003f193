import Authentication
import Forwarding
import Gatehouse
import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP

extension TokenInspector {
    /// Returns whether the request path treats a credential as an opaque token.
    static func isOpaque(_ token: [UInt8], _ kind: CredentialKind) -> Bool {
        kind == .idToken && !token.withUnsafeBytes { CompactShape.seemsJWT($0) }
    }

    /// Inspects an opaque token by introspection. The result contains no part of the token.
    func inspect(opaque token: [UInt8], _ choice: OpaqueChoice) async -> InspectedToken {
        var transcript = OpaqueTranscript(now: clock.now())
        guard transcript.shape(of: token) else { return transcript.ended(.argumentError) }
        switch choice {
        case .noProvider(let why):
            transcript.add(.failed, "provider", "not introspected: \(why)")
            return transcript.ended(.argumentError)
        case .provider(let place, let why):
            let provider = snapshot.opaqueProviders[place]
            transcript.add(.passed, "provider", "\(provider.id), \(why)")
            guard let judgement = await opaqueTokens.query?(token, provider) else {
                transcript.add(.unknown, "answer", "\(provider.id) was not queried")
                return transcript.ended(.introspectionUnavailable)
            }
            transcript.record(judgement, by: provider)
            return ended(transcript, token, judgement, place)
        }
    }

    /// Returns the decision of the request path for the provider's judgement.
    private func ended(
        _ soFar: OpaqueTranscript, _ token: [UInt8], _ judgement: Judgement, _ place: Int
    ) -> InspectedToken {
        var transcript = soFar
        let verdict = OpaqueVerdict(judgement)
        guard let hasher = SHA256Hasher(), let digest = hasher.hash(token) else {
            return transcript.ended(.internalError)
        }
        let renderer = snapshot.outgoing.identity
        let authenticator = OpaqueAuthenticator(
            hasher: hasher, counters: WorkerCounters(routes: 0, upstreams: 0), render: { renderer.render($0) })
        let key = OpaqueTokenKey(provider: place, digest: digest)
        authenticator.install(verdict, of: key)
        let outcome = token.withUnsafeBytes {
            authenticator.authenticate(
                $0, provider: place, now: clock.now(), monotonic: clock.monotonic(), answered: key)
        }
        switch outcome {
        case .verified(let entry): return transcript.ended(.ok, entry, verdict)
        case .refused(let failure):
            if case .accepted = judgement { transcript.add(.failed, "user", failure.reason.rawValue) }
            return transcript.ended(failure.code, nil, verdict)
        case .unavailable, .query: return transcript.ended(.introspectionUnavailable, nil, verdict)
        case .awaitOwner: return transcript.ended(.storeUnavailable, nil, verdict)
        }
    }
}

extension OpaqueVerdict {
    /// Creates a verdict that does not expire.
    fileprivate init(_ judgement: Judgement) {
        switch judgement {
        case .accepted(let identity): self = .accepted(identity, freshUntil: .max)
        case .refused(let failure): self = .refused(failure, until: .max)
        case .failed(let failure): self = .unavailable(why: failure.kind.rawValue, retryAfter: 1, until: .max)
        }
    }
}

/// The steps for an opaque token.
struct OpaqueTranscript {
    /// Unix seconds.
    let now: Int64
    private(set) var steps: [ExplanationStep] = []

    init(now: Int64) {
        self.now = now
    }

    mutating func add(_ mark: ExplanationStep.Mark, _ name: String, _ detail: String) {
        steps.append(ExplanationStep(mark, name, detail))
    }

    func ended(
        _ code: DecisionCode, _ entry: VerifiedTokenCache.Entry? = nil, _ verdict: OpaqueVerdict? = nil
    ) -> InspectedToken {
        InspectedToken(
            inspection: TokenInspection(header: nil, payload: nil, steps: steps, code: code), entry: entry,
            verdict: verdict)
    }

    /// Checks whether the text can be introspected.
    mutating func shape(of token: [UInt8]) -> Bool {
        let size = "\(token.count) bytes"
        let isText = token.withUnsafeBytes { BearerText.isToken($0) }
        guard isText, token.count <= OpaqueAuthenticator.maximumTokenSize else {
            let why =
                isText
                ? "the limit is \(OpaqueAuthenticator.maximumTokenSize)" : "not a valid Bearer token"
            add(.failed, "shape", "not a JWT, \(size): \(why)")
            return false
        }
        add(.passed, "shape", "not a JWT, therefore an opaque token, \(size)")
        return true
    }

    mutating func record(_ judgement: Judgement, by provider: Configuration.Provider) {
        let source = provider.opaqueTokens.map { KeySource.name(of: $0.url) } ?? provider.id
        switch judgement {
        case .accepted(let identity):
            add(.passed, "answer", "active, according to \(source)")
            record(identity)
        case .refused(let failure): add(.failed, "answer", "\(failure.reason.rawValue): \(source)")
        case .failed(let failure): add(.unknown, "answer", "no usable response from \(source): \(failure.shown)")
        }
    }

    private mutating func record(_ identity: ProviderIdentity) {
        let claims = identity.claims.payload.root
        // The judgement has verified one of these claims, so that the token was issued for the gateway.
        let audience = ["aud", "client_id", "app_id"].lazy.compactMap { claims[$0] }.first
        add(.passed, "audience", "issued for \(ShownText.claim(audience))")
        add(.note, "subject", ShownText.quoted(identity.subject))
        add(.note, "uid", ShownText.quoted(identity.derivedUID))
        add(
            .passed, "exp",
            identity.expiresAt == .latest
                ? "no expiry is stated" : HumanTime.moment(identity.expiresAt.seconds, now: now)
        )
        add(.note, "iat", identity.issuedAt.map { HumanTime.moment($0.seconds, now: now) } ?? "none")
        add(
            .note, "auth_time",
            identity.authTime.map { HumanTime.moment($0.seconds, now: now) } ?? TokenTranscript.noAuthTime)
        add(.note, "scope", ShownText.list(identity.scopes))
    }
}
