import Authentication
import Authorization
import Forwarding
import Gatehouse
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import SecurityRules

/// The parts shared by the pipelines of one explained request, without counters, rate limits and a store.
struct ExplainedParts {
    let authenticator: Authenticator
    let opaque: OpaqueAuthenticator?
    let apps: AppCheckAuthenticator?
    let owners: LinkOwners?
    let accounts = AccountMemory()
    let rules: RuleEvaluationContext
    let recorder = RuleRecorder()
    private let snapshot: Snapshot
    private let queriesFirebase: Bool

    /// Returns `nil` if libcrypto fails.
    init?(_ explainer: Explainer) {
        guard let hasher = SHA256Hasher() else { return nil }
        let snapshot = explainer.snapshot
        let (outgoing, counters) = (snapshot.outgoing, WorkerCounters(routes: 0, upstreams: 0))
        let rules = RuleEvaluationContext(RequestBindings { outgoing.showsRules($0, of: $1) })
        let render = { outgoing.identity.render($0, by: rules.evaluator) }
        let owners = snapshot.sessionSet.map { _ in
            LinkOwners(
                generations: LinkGenerations(), view: .fresh, maxStaleness: snapshot.pipeline.maxStaleness,
                deniesUnlinked: snapshot.deniesUnlinked, hasher: hasher, render: render)
        }
        authenticator = Authenticator(
            verifiers: snapshot.verifiers, keySets: snapshot.keySetCount, hasher: hasher, counters: counters,
            owners: owners, render: render)
        opaque =
            snapshot.opaqueProviders.isEmpty
            ? nil : OpaqueAuthenticator(hasher: hasher, counters: counters, owners: owners, render: render)
        apps = snapshot.appVerifier.map { verifier in
            AppCheckAuthenticator(verifier, hasher: hasher, counters: counters) { _ in }
        }
        self.owners = owners
        self.rules = rules
        self.snapshot = snapshot
        queriesFirebase = explainer.queriesFirebase
        rules.evaluator.recorder = recorder
    }

    /// Returns a pipeline that uses a view.
    func pipeline(_ view: StoreView) -> RequestPipeline {
        RequestPipeline(
            snapshot.pipeline, authenticator: authenticator,
            opaqueAuthenticator: opaque, appAuthenticator: apps,
            authorizer: Authorizer(
                store: view.reader(), clockSkew: snapshot.clockSkew, maxStaleness: snapshot.pipeline.maxStaleness,
                queriesFirebase: queriesFirebase, acrValues: snapshot.acrValues),
            rules: rules, rates: nil, accounts: accounts, counters: WorkerCounters(routes: 0, upstreams: 0))
    }
}

extension StoreView {
    /// A view without records.
    static var fresh: StoreView {
        let view = StoreView()
        view.setAlwaysFresh()
        return view
    }
}
