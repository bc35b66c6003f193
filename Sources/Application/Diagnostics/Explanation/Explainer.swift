import Authentication
import Authorization
import Gatehouse
package import GatewayConfiguration
package import GatewayCore
import HTTPServer
import HTTPWire
import JOSE
import RequestPipeline
import Revocation

/// Says, step by step, whether a request would pass the gateway of one configuration, and why.
///
/// It drives the gateway's own pipeline, and shows what each phase found. Nothing is forwarded, and nothing is written.
package struct Explainer: Sendable {
    let configuration: Configuration
    let snapshot: Snapshot
    let inspector: TokenInspector
    private let records: RecordSource
    private let accounts: AccountEvidenceSource
    let owners: OwnerEvidenceSource
    let clock: GatewayClock

    /// An explainer that asks whom the gateway asks, and the store's file or, where that is in use, the admin API. What only the store knows and
    /// no API tells (the key of session cookies, the owners of identities) stays unknown while a gateway has the file.
    ///
    /// - Parameter asksOthers: whether key sets are fetched, and providers and Identity Toolkit asked; without it no signature, opaque token
    ///   or Firebase account can be checked.
    /// - Throws: what is wrong with the configuration's routes.
    package init(
        _ configuration: Configuration, asksOthers: Bool = true, clock: GatewayClock = .system
    ) throws(ConfigurationErrors) {
        try self.init(
            configuration, keys: asksOthers ? .live(clock: clock) : .none, records: .live(configuration),
            opaqueTokens: asksOthers ? .live(clockSkew: configuration.identity.clockSkew, clock: clock) : .none,
            accounts: asksOthers ? .live(configuration, clock: clock) : .none, owners: .live(configuration),
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
    /// - Throws: where the parts make no request that a client could send.
    package func explain(_ request: ExplainedRequest) async throws(ExplainedRequestError) -> Explanation {
        let head = try request.head(for: configuration)
        var transcript = Transcript()
        do throws(HeadError) {
            let parsed = try ParsedRequest(head, limits: snapshot.limits)
            transcript.pass("request", "\(request.method), Host \(ShownText.quoted(parsed.text(parsed.head.host)))")
            guard var run = ExplainedRun(self, parsed, transcript) else {
                return transcript.refused(Denial(.internalError))
            }
            return await run.explain()
        } catch {
            transcript.fail("request", error.description)
            return transcript.refused(Denial(error.decisionCode))
        }
    }

    /// The records of a user, of their session and of the identity that began it.
    func records(of principal: Principal?) async -> RecordEvidence {
        guard let principal else { return .known(user: .none, session: .none, source: "not asked") }
        let evidence = await records.lookUp(principal.user, principal.session)
        guard let link = principal.recordedLink, case .known(let user, let session, _, let source) = evidence else {
            return evidence
        }
        switch await records.lookUp(UserKey(link), nil) {
        case .known(let link, _, _, _): return .known(user: user, session: session, link: link, source: source)
        case .unknown(let why): return .unknown(why)
        }
    }

    /// What Firebase says of a user's account.
    func account(of principal: Principal) async -> AccountEvidence {
        await accounts.lookUp?(principal.user) ?? .notAsked
    }

    /// Whether Identity Toolkit, too, says who is revoked.
    var asksFirebase: Bool { configuration.revocation.firebase != nil && configuration.identity.firebase != nil }
}
