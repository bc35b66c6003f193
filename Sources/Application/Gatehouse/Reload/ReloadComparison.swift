import AdminAPI
import Authentication
import Authorization
import Forwarding
import GatewayCore
import HTTPWire
import RequestPipeline
import Revocation
import Routing
import SecurityRules

/// The decisions of two configurations about recorded requests.
///
/// Both sides are decided now, with the same inputs, so that every difference is one of the configurations. The route
/// and its policy are recomputed: whether a credential is required, the provider, the scopes, the recency of the
/// sign-in, the second factor and the rules, at the time of the request. The result of verifying the credential is
/// the recorded one. Revocation, accounts, App Check, rate limits and cross-site checks are not decided again.
struct ReloadComparison {
    /// The maximum duration of a comparison, in nanoseconds: 2 s.
    static let timeLimit: UInt64 = 2_000_000_000

    private let previous: SnapshotDecider
    private let next: SnapshotDecider
    private let clock: GatewayClock

    init(_ previous: Snapshot, _ next: Snapshot, clock: GatewayClock) {
        self.previous = SnapshotDecider(previous)
        self.next = SnapshotDecider(next)
        self.clock = clock
    }

    /// Decides about the requests until the time limit.
    func differences(of samples: [RequestSample], generation: UInt64) -> ReloadDifferences {
        let end = clock.monotonic() &+ Self.timeLimit
        var differences = ReloadDifferences(at: clock.now(), generation: generation, sampled: samples.count)
        for sample in samples {
            guard clock.monotonic() <= end else { break }
            guard let before = previous.outcome(of: sample), let after = next.outcome(of: sample) else {
                differences.undecided += 1
                continue
            }
            differences.compared += 1
            if before != after { differences.record(method: sample.method, before: before, after: after) }
        }
        return differences
    }
}

/// The decisions of one configuration about recorded requests, without its store, credentials and counters.
private final class SnapshotDecider {
    private let snapshot: Snapshot
    private let scratch = PathScratch()
    private let bindings: RequestBindings
    private let rules: RuleEvaluationContext
    private let authorizer: Authorizer

    init(_ snapshot: Snapshot) {
        self.snapshot = snapshot
        let outgoing = snapshot.outgoing
        bindings = RequestBindings { outgoing.showsRules($0, of: $1) }
        rules = RuleEvaluationContext(bindings)
        let view = StoreView()
        view.setAlwaysFresh()
        authorizer = Authorizer(
            store: view.reader(), clockSkew: snapshot.clockSkew, maxStaleness: snapshot.pipeline.maxStaleness,
            acrValues: snapshot.acrValues)
    }

    /// Returns the decision. `nil` if it depends on something that is not recorded.
    func outcome(of sample: RequestSample) -> ReloadDifferences.Outcome? {
        let head = "\(sample.method) \(sample.path) HTTP/1.1\r\nHost: \(sample.host)\r\n\r\n"
        guard let request = try? ParsedRequest(Array(head.utf8), limits: snapshot.limits) else { return nil }
        return request.withView { view in
            let path = view.head.path.bytes(in: view.bytes)
            let routed = snapshot.pipeline.routes.route(
                host: view.head.host.bytes(in: view.bytes), path: path,
                method: view.head.methodRange.bytes(in: view.bytes), scratch: scratch)
            switch routed {
            case .route(let match):
                let plan = snapshot.pipeline.plans[match.index]
                let path = scratch.bytes(of: match.path, in: path)
                return decide(sample, view, plan, path)
                    .map { ReloadDifferences.Outcome(route: plan.pattern, code: "\($0.wire)") }
            case .notFound: return ReloadDifferences.Outcome(route: nil, code: "\(DecisionCode.routeNotFound.wire)")
            case .methodNotAllowed:
                return ReloadDifferences.Outcome(route: nil, code: "\(DecisionCode.methodNotAllowed.wire)")
            case .badPath: return ReloadDifferences.Outcome(route: nil, code: "\(DecisionCode.malformedRequest.wire)")
            }
        }
    }

    private func decide(
        _ sample: RequestSample, _ view: RequestView, _ plan: RoutePlan, _ path: UnsafeRawBufferPointer
    ) -> DecisionCode? {
        guard plan.policy.authentication != .none else { return .ok }
        let identity: VerifiedTokenCache.Entry?
        switch sample.credential {
        case .unknown: return nil
        case .rejected(let code): return code
        case .absent: identity = nil
        case .verified(let principal):
            let rendered = RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false)
            identity = VerifiedTokenCache.Entry(
                principal: principal, verifier: 0, keySetGeneration: 0, identity: rendered)
        }
        var policy = plan.policy
        policy.revocation = .off
        rules.begin(view, path: path)
        defer { rules.end() }
        let context = DecisionContext(now: sample.time, monotonic: 0, mayWait: false)
        let decision = authorizer.decide(policy, identity: identity, in: context, rules: rules) { _ in }
        // Fields, the query and the app are not recorded.
        guard !bindings.hasReadFields else { return nil }
        switch decision {
        case .permit: return .ok
        case .deny(let denial): return denial.code
        case .awaitStore, .queryStore, .lookUp: return nil
        }
    }
}
