import Authentication
import Authorization
import Forwarding
import Gatehouse
import GatewayConfiguration
import GatewayCore
import HTTPWire
import RequestPipeline
import Revocation
import Routing
import SecurityRules

/// The explanation of one request. It drives the pipeline like a front end, performs the gateway's lookups, and records
/// the finding of each phase.
struct ExplainedRun {
    let explainer: Explainer
    let request: ParsedRequest
    var transcript: Transcript
    private(set) var run: PipelineRun
    var origin: RequestOrigin
    let parts: ExplainedParts
    let scratch = PathScratch()
    var inspected: InspectedToken?
    var principal: Principal?
    var records = RecordEvidence.known(user: .none, session: .none, source: "not queried")
    var firebase = AccountEvidence.irrelevant
    /// The findings of the last authorization, because a run that waited authorizes again.
    var authorization: [AuthorizationFinding] = []

    /// Returns `nil` if libcrypto fails.
    init?(_ explainer: Explainer, _ request: ParsedRequest, _ transcript: Transcript) {
        guard let parts = ExplainedParts(explainer) else { return nil }
        self.parts = parts
        self.explainer = explainer
        self.request = request
        self.transcript = transcript
        run = PipelineRun(began: explainer.clock.monotonic())
        run.purpose = .explanation
        origin = RequestOrigin(peer: PeerAddress(nil))
    }

    /// A step of the pipeline without pointers into the request's memory.
    private enum Outcome {
        case permit(VerifiedTokenCache.Entry?, signedInAt: UnixTime?, path: String?)
        case deny(Denial)
        case respond(BuiltinResponse)
        case await(Lookup)
    }

    private final class Collector: PipelineObserver {
        private(set) var findings: [PipelineFinding] = []

        func observe(_ finding: PipelineFinding) { findings.append(finding) }
    }

    mutating func explain() async -> Explanation {
        // An unloaded view, so that the run waits for the records when its principal is known.
        var pipeline = parts.pipeline(StoreView())
        await installAppKeys()
        while true {
            let (outcome, findings) = advance(pipeline)
            authorization = []
            for finding in findings { await show(finding) }
            switch outcome {
            case .permit(let entry, let signedInAt, let path): return permitted(entry, signedInAt, path)
            case .deny(let denial): return denied(denial)
            case .respond(let response): return responded(response)
            case .await(let lookup):
                if case .revocationView = lookup {
                    records = await explainer.records(of: principal)
                    pipeline = parts.pipeline(principal.map { records.view(of: $0) } ?? StoreView.fresh)
                    pipeline.resume(&run, with: .arrived, now: explainer.clock.now())
                    continue
                }
                switch await result(of: lookup) {
                case .result(let result): pipeline.resume(&run, with: result, now: explainer.clock.now())
                case .ended(let explanation): return explanation
                }
            }
        }
    }

    private mutating func advance(_ pipeline: RequestPipeline) -> (Outcome, [PipelineFinding]) {
        var (run, origin) = (run, origin)
        let collector = Collector()
        let context = RequestPipeline.Context(
            now: explainer.clock.now(), monotonic: explainer.clock.monotonic(), scratch: scratch)
        let outcome: Outcome = request.withView { view in
            switch pipeline.advance(&run, view, &origin, in: context, observer: collector) {
            case .permit(let permit):
                var path: String?
                switch permit.destination {
                case .account: break
                case .upstream, .none: path = String(decoding: permit.path, as: UTF8.self)
                }
                return .permit(permit.identity, signedInAt: permit.signedInAt, path: path)
            case .deny(let denial): return .deny(denial)
            case .respond(let response): return .respond(response)
            case .await(let lookup): return .await(lookup)
            }
        }
        (self.run, self.origin) = (run, origin)
        return (outcome, collector.findings)
    }

    // MARK: - Lookups

    private enum LookupOutcome {
        case result(LookupResult)
        case ended(Explanation)
    }

    private mutating func result(of lookup: Lookup) async -> LookupOutcome {
        switch lookup {
        case .keySet(let set):
            guard let keys = inspected?.keys, inspected?.inspection.code != .keysUnavailable else {
                return .ended(
                    transcript.undetermined("the keys to verify the signature are not available"))
            }
            parts.authenticator.install(keys.view, set: set)
            return .result(.arrived)
        case .opaqueToken(let key, _):
            guard let verdict = inspected?.verdict, inspected?.inspection.code != .introspectionUnavailable else {
                return .ended(transcript.undetermined("the provider did not return a verdict on the token"))
            }
            parts.opaque?.install(verdict, of: key)
            return .result(.opaqueToken(key))
        case .owner(let query): return await owner(of: query)
        case .account(let principal, _):
            firebase = await explainer.account(of: principal)
            guard case .known(let known) = firebase.view(for: principal.facts), known != .unavailable else {
                return .result(.accountUnknown)
            }
            let status = AccountStatus(state: known, queriedAt: explainer.clock.monotonic())
            parts.accounts.table.insert(status, of: principal.userKey)
            return .result(.arrived)
        case .appToken:
            transcript.record(
                "app", "the gateway then consumes the token, which must not have been consumed; not done here")
            return .result(.appToken(.first))
        case .revocationView, .records, .rateLimit: return .result(.unavailable)
        }
    }

    /// Installs the keys of App Check if the request has a token, so that the run does not wait for them.
    private func installAppKeys() async {
        guard let apps = parts.apps, request.withView({ AppCheckField.find(in: $0) }).hasToken else { return }
        let set = apps.verifier.keySet
        apps.install(await explainer.inspector.evidence(forKeySet: set).view, set: set)
    }

    private mutating func owner(of query: LinkQuery) async -> LookupOutcome {
        showVerified(inspected?.entry)
        switch await explainer.owners.lookUp(query.link) {
        case .unowned(let source):
            if explainer.configuration.accounts?.unlinked == .derive {
                transcript.pass("link", "no account: the uid is derived from the identity; \(source)")
            } else {
                transcript.fail("link", "no account, and accounts.unlinked is deny; \(source)")
            }
            let generation = parts.owners?.generation(at: query.place) ?? 0
            parts.owners?.keep(nil, of: query.key, generation: generation)
            return .result(.arrived)
        case .owner(let owner, let source):
            transcript.pass("link", "the account \(owner.user.shown); \(source)")
            return .ended(
                transcript.undetermined(
                    "it is decided as the account's own, and an account is not explained by its links"))
        case .unknown(let why):
            transcript.add(ExplanationStep(.unknown, "link", why))
            return .ended(
                transcript.undetermined("the user depends on the account that the identity is linked to"))
        }
    }
}
