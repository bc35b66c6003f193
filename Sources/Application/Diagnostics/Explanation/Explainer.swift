import Authentication
import Gatehouse
package import GatewayConfiguration
package import GatewayCore
import HTTPServer
import HTTPWire
import Revocation

/// The explanation of whether and why a gateway with this configuration would permit a request, step by step.
///
/// It drives the gateway's own pipeline and records the finding of each phase. It forwards and writes nothing.
package struct Explainer: Sendable {
    let configuration: Configuration
    let snapshot: Snapshot
    let inspector: TokenInspector
    private let records: RecordSource
    private let accounts: AccountEvidenceSource
    let owners: OwnerEvidenceSource
    let clock: GatewayClock

    /// Creates an explainer with the lookups of the gateway. It reads the store's file, or uses the admin API if the
    /// file is in use. Information that no API exposes, such as session keys and owners of identities, is then
    /// unavailable.
    ///
    /// - Parameter asksOthers: Whether key sets are fetched, and providers and Identity Toolkit queried. Otherwise no
    ///   signature, opaque token or Firebase account can be checked.
    /// - Throws: The errors of the configuration's routes.
    package init(
        _ configuration: Configuration, usesRemoteLookups: Bool = true, clock: GatewayClock = .system
    ) throws(ConfigurationErrors) {
        try self.init(
            configuration, keys: usesRemoteLookups ? .live(clock: clock) : .none, records: .live(configuration),
            opaqueTokens: usesRemoteLookups ? .live(clockSkew: configuration.identity.clockSkew, clock: clock) : .none,
            accounts: usesRemoteLookups ? .live(configuration, clock: clock) : .none, owners: .live(configuration),
            clock: clock)
    }

    init(
        _ configuration: Configuration, keys: KeyEvidenceSource, records: RecordSource,
        opaqueTokens: OpaqueEvidenceSource = .none, accounts: AccountEvidenceSource = .none,
        owners: OwnerEvidenceSource = .none, clock: GatewayClock
    ) throws(ConfigurationErrors) {
        self.configuration = configuration
        self.records = records
        self.accounts = accounts
        self.owners = owners
        self.clock = clock
        snapshot = try Snapshot(configuration)
        inspector = TokenInspector(
            snapshot, keys: keys, sessions: .live(configuration, snapshot), opaqueTokens: opaqueTokens, clock: clock)
    }

    /// Explains a request.
    ///
    /// - Throws: `ExplainedRequestError` if the parts do not form a valid request.
    package func explain(_ request: ExplainedRequest) async throws(ExplainedRequestError) -> Explanation {
        guard request.usesHTTP2 else { return await explain(try request.head(for: configuration), Transcript()) }
        let stream = ExplainedStream(
            try request.stream(for: configuration), HTTP2FrontEnd(limits: snapshot.limits, clock: clock))
        var transcript = Transcript(stream)
        if !servesHTTP2 {
            transcript.record("listener", "none serves HTTP/2; add h2 with TLS, or h2c, to its protocols")
        }
        switch stream.open(&transcript) {
        case .head(let head): return await explain(head, transcript)
        case .ended(let explanation): return explanation
        }
    }

    private var servesHTTP2: Bool {
        configuration.listen.contains { $0.protocols.contains(.http2) || $0.protocols.contains(.http2Cleartext) }
    }

    /// Explains a request from its head in the form of HTTP/1.1.
    private func explain(_ head: [UInt8], _ transcript: Transcript) async -> Explanation {
        var transcript = transcript
        do throws(HeadError) {
            let parsed = try ParsedRequest(head, limits: snapshot.limits)
            let (method, host) = (parsed.text(parsed.head.methodRange), parsed.text(parsed.head.host))
            transcript.pass("request", "\(method), Host \(ShownText.quoted(host))")
            guard var run = ExplainedRun(self, parsed, transcript) else {
                return transcript.refused(Denial(.internalError))
            }
            return await run.explain()
        } catch {
            transcript.fail("request", error.description)
            return transcript.refused(Denial(error.decisionCode))
        }
    }

    /// Returns the records of a user, of their session and of the identity that started it.
    func records(of principal: Principal?) async -> RecordEvidence {
        guard let principal else { return .known(user: .none, session: .none, source: "not queried") }
        let evidence = await records.lookUp(principal.user, principal.session)
        guard let link = principal.recordedLink, case .known(let user, let session, _, let source) = evidence else {
            return evidence
        }
        switch await records.lookUp(UserKey(link), nil) {
        case .known(let link, _, _, _): return .known(user: user, session: session, link: link, source: source)
        case .unknown(let why): return .unknown(why)
        }
    }

    /// Returns the user's account at Firebase.
    func account(of principal: Principal) async -> AccountEvidence {
        await accounts.lookUp?(principal.user) ?? .notQueried
    }

    /// Whether Identity Toolkit is queried for revocations.
    var queriesFirebase: Bool { configuration.revocation.firebase != nil && configuration.identity.firebase != nil }
}
