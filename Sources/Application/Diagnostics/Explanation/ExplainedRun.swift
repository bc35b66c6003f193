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
    private let explainer: Explainer
    private let request: ParsedRequest
    private var transcript: Transcript
    private(set) var run: PipelineRun
    private var origin: RequestOrigin
    private let parts: ExplainedParts
    private let scratch = PathScratch()
    private var inspected: InspectedToken?
    private var principal: Principal?
    private var records = RecordEvidence.known(user: .none, session: .none, source: "not queried")
    private var firebase = AccountEvidence.irrelevant
    /// The findings of the last authorization, because a run that waited authorizes again.
    private var authorization: [AuthorizationFinding] = []

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
            guard case .known(let known) = firebase.view, known != .unavailable else {
                return .result(.accountUnknown)
            }
            let status = AccountStatus(state: known, queriedAt: explainer.clock.monotonic())
            parts.accounts.table.insert(status, of: principal.userKey)
            return .result(.arrived)
        case .revocationView, .records: return .result(.unavailable)
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

    // MARK: - Findings

    private mutating func show(_ finding: PipelineFinding) async {
        switch finding {
        // The peer is unknown, so that no proxy is trusted.
        case .origin, .invalidOrigin: break
        case .methodIsNeverForwarded: transcript.fail("method", "CONNECT and TRACE are never forwarded")
        case .preflight(let preflight, let plan, let isAllowed):
            let method = request.withView { preflight.methodName(in: $0.bytes) }
            let preflightText = "a preflight of \(method) for \(plan.pattern); credentials are not checked"
            transcript.add(
                ExplanationStep(
                    isAllowed ? .passed : .failed, "cors",
                    "\(preflightText), and the Origin is \(isAllowed ? "" : "not ")allowed"))
        case .builtin(.account(let endpoint)):
            transcript.pass("call", "\(endpoint.path), an endpoint of the gateway: the request is not forwarded")
        case .builtin(.keys), .builtin(.page): break
        case .methodOfBuiltin(let allowed): transcript.fail("method", "only \(allowed)")
        case .routed(let match): showRoute(match)
        case .noRoute: transcript.fail("route", "no route for this host and path")
        case .noMethod(let allowed): transcript.fail("route", "the path has routes, but only for \(allowed)")
        case .invalidPath(let error): transcript.fail("path", "\(error.reason) at byte \(error.offset + 1)")
        case .rateLimited(let limit): transcript.fail("rate limit", limit.text)
        case .bodyTooLong(let length, let limit):
            transcript.fail("body", "\(length) bytes; the limit is \(limit)")
        case .upgrade(let outcome): showUpgrade(outcome)
        case .crossSite(let finding, let isListed):
            transcript.add(
                isListed
                    ? ExplanationStep(.passed, "site", "the Origin is allowed to send requests with credentials")
                    : ExplanationStep(finding.passes ? .passed : .failed, "site", finding.shown))
        case .crossSiteNotChecked: transcript.record("site", "not checked: the route has insecure_no_csrf")
        case .credentialNotNeeded:
            if run.endpoint == nil { transcript.record("credential", "not checked: the route has auth: none") }
        case .credential(let offer): await showCredential(offer)
        case .authenticated(let entry): showVerified(entry)
        case .notAuthenticated: break
        case .appCheck(let finding): show(finding)
        case .authorization(let finding): authorization.append(finding)
        }
    }

    private mutating func show(_ finding: AppCheckFinding) {
        let enforces = run.plan?.appCheck?.enforces == true
        let mode = enforces ? "" : "; the route only monitors"
        let outcome = enforces ? ExplanationStep.Mark.failed : .note
        switch finding {
        case .absent(let isFirebase):
            let sender = isFirebase ? "sent by a Firebase SDK" : "not sent by a Firebase SDK"
            transcript.add(ExplanationStep(outcome, "app", "no App Check token, \(sender)\(mode)"))
        case .refused(let failure):
            transcript.add(ExplanationStep(outcome, "app", "App Check: \(failure.rawValue)\(mode)"))
        case .verified(let proof, let isPermitted):
            let app = "\(proof.app.name), \(proof.app.id)"
            guard !isPermitted else { return transcript.pass("app", app) }
            transcript.add(ExplanationStep(outcome, "app", "\(app), which the route does not permit\(mode)"))
        case .noKeys:
            transcript.add(ExplanationStep(.unknown, "app", "the keys of App Check are not available\(mode)"))
        }
    }

    private mutating func showRoute(_ match: RouteMatch) {
        let sent = request.text(request.head.path)
        let canonical = text(match.path)
        transcript.pass(
            "path", canonical == sent ? "\(sent), canonical as it is" : "\(canonical), sent as \(sent)")
        let route = explainer.configuration.routes[match.index]
        transcript.pass(
            "route",
            "\(route.path) at \(route.location), \(route.upstream.map { "to \($0)" } ?? "a policy of decisions")")
        for limit in route.rateLimits {
            transcript.record(
                "rate limit",
                "\(limit.requests) in \(DurationText.write(limit.every)) per \(limit.per.rawValue), not counted here")
        }
        if let rewrite = route.rewrite {
            let host = rewrite.host.map { ", with Host: \($0)" } ?? ""
            transcript.record("rewrite", "forwarded as \(text(match.forwardedPath) + query)\(host)")
        }
    }

    private func text(_ slice: PathSlice) -> String {
        request.withView { view in
            String(decoding: scratch.bytes(of: slice, in: view.head.path.bytes(in: view.bytes)), as: UTF8.self)
        }
    }

    /// The query as the upstream would receive it, with its `?`.
    private var query: String {
        guard let places = run.plan?.places, places.takesParameter else {
            return request.head.query.map { "?" + request.text($0) } ?? ""
        }
        return request.withView { view in
            String(unsafeUninitializedCapacity: view.bytes.count) { output in
                var writer = HeadWriter(from: view.bytes, into: UnsafeMutableRawBufferPointer(output))
                places.writeQuery(of: view, &writer)
                return writer.finish() ?? 0
            }
        }
    }

    private mutating func showUpgrade(_ outcome: UpgradePlan.Outcome) {
        guard request.head.hasUpgrade, run.endpoint == nil else { return }
        switch outcome {
        case .nothing:
            transcript.record("upgrade", "removed: the route lists no such protocol, or the request has a body")
        case .upgrade(let upgrade):
            let name = String(decoding: upgrade.name, as: UTF8.self)
            transcript.pass("upgrade", "to \(name), if the upstream agrees; the connection becomes a tunnel")
        case .malformed(let why): transcript.fail("upgrade", "no handshake (\(why))")
        }
    }

    private mutating func showCredential(_ offer: FoundCredentials.Offer) async {
        // Already recorded before the run waited for its keys.
        guard inspected == nil else { return }
        switch offer {
        case .none:
            let isRequired = run.plan?.policy.authentication == .required
            transcript.add(
                ExplanationStep(
                    isRequired ? .failed : .passed, "credential",
                    isRequired
                        ? "none, but the route requires one"
                        : "none; the route permits anonymous requests, and auth is null"
                ))
        case .unsupported: transcript.fail("credential", "the field of the Bearer token carries another scheme")
        case .ambiguous:
            transcript.fail("credential", "more than one, and they differ")
        case .token(let range, let kind):
            transcript.pass("credential", kind == .idToken ? "a Bearer token in the header" : "a session cookie")
            await inspect(request.bytes(range), kind)
        case .text(let token):
            transcript.pass("credential", "a token in the query or in Sec-WebSocket-Protocol")
            await inspect(token, .idToken)
        }
    }

    private mutating func inspect(_ token: [UInt8], _ kind: CredentialKind) async {
        guard let plan = run.plan else { return }
        let inspected = await explainer.inspector.inspect(token, as: kind, .of(plan, explainer.snapshot))
        for step in inspected.inspection.steps { transcript.add(step) }
        self.inspected = inspected
    }

    private mutating func showVerified(_ entry: VerifiedTokenCache.Entry?) {
        guard let entry, principal == nil else { return }
        principal = entry.principal
        transcript.pass("verified", "the user is \(entry.principal.user.shown)")
    }

    // MARK: - The end

    private mutating func showAuthorization() {
        guard run.phase >= .revocation, let plan = run.plan else { return }
        if let principal {
            let steps = AuthorizationTranscript(
                policy: plan.policy, principal: principal, evidence: records, firebase: firebase,
                queriesFirebase: explainer.queriesFirebase, records: records.view(of: principal).reader(),
                now: explainer.clock.now(), findings: authorization)
            for step in steps.steps(until: run.phase) { transcript.add(step) }
        }
        guard run.phase == .rules, let rules = plan.policy.rules else { return }
        let steps = RuleTranscript(rules: rules, verdicts: parts.rules.verdicts, recorder: parts.recorder).steps
        for step in steps { transcript.add(step) }
    }

    private mutating func denied(_ denial: Denial) -> Explanation {
        showAuthorization()
        if denial.code == .keysUnavailable {
            return transcript.undetermined("the keys to verify the signature are not available")
        }
        if denial.code == .appKeysUnavailable {
            return transcript.undetermined("the keys to verify the App Check token are not available")
        }
        if denial.code == .introspectionUnavailable {
            return transcript.undetermined("the provider did not return a verdict on the token")
        }
        if denial.code == .requiresRecentLogin, !records.isKnown, principal?.facts.hasSession == true {
            return transcript.undetermined(
                "it passes only with a recorded later sign-in, which could not be determined")
        }
        return transcript.refused(denial)
    }

    private mutating func responded(_ response: BuiltinResponse) -> Explanation {
        switch response {
        case .preflight(let lines):
            let common = run.plan?.additions?.cors?.lines(to: run.corsOrigin) ?? []
            let vary = CORSPolicy.preflightVary.count
            let fields = String(decoding: common + lines.dropLast(vary), as: UTF8.self)
            return transcript.responded(
                204, "what pages of that origin may send", fields: fields.split(separator: "\r\n").map(String.init))
        case .keys, .page:
            transcript.pass("path", "\(request.text(request.head.path)), the gateway's own")
            guard case .keys = response else { return transcript.responded(200, "the demo's page") }
            if explainer.configuration.accounts != nil {
                transcript.record("store", "503 until the keys of session cookies are loaded from the store")
            }
            return transcript.responded(200, "the keys of its assertions and session cookies")
        }
    }

    private mutating func permitted(
        _ entry: VerifiedTokenCache.Entry?, _ signedInAt: UnixTime?, _ path: String?
    ) -> Explanation {
        guard let plan = run.plan, let path else {
            return transcript.undetermined(
                "the result also depends on the body and on the store, which are not checked")
        }
        showAuthorization()
        if entry != nil, !records.isKnown, plan.policy.revocation != .off {
            return transcript.undetermined(
                "it passes unless the user is disabled or revoked, which could not be determined")
        }
        if !firebase.isKnown {
            return transcript.undetermined(
                "it passes unless Firebase says that the user is disabled, deleted or revoked, which was not queried")
        }
        let identity = entry?.identity
        guard identity?.isTooLarge != true else {
            transcript.fail("identity", "its header fields are longer than \(RenderedIdentity.limit) bytes")
            return transcript.refused(Denial(.headTooLarge))
        }
        let upstream = plan.upstream.map { explainer.configuration.upstreams[$0] }
        if request.isGRPC, let upstream, !upstream.protocol.isMultiplexed {
            transcript.fail("upstream", "gRPC needs protocol h2 or h2c of upstream \(upstream.name)")
            return transcript.refused(Denial(.grpcUnsupported))
        }
        let app = run.app?.app.line ?? []
        var lines = identity?.bytes ?? []
        if let identity, let signedInAt {
            let time = explainer.snapshot.outgoing.identity.timeLine(signedInAt)
            lines = identity.bytes.prefix(identity.lengthBeforeTime) + time
        }
        return transcript.passes(
            Explanation.Forwarded(
                upstream: upstream?.name, servers: upstream?.servers ?? [],
                method: request.text(request.head.methodRange),
                target: path + query,
                identity: String(decoding: app + lines, as: UTF8.self).split(separator: "\r\n").map(String.init)))
    }
}

extension CrossSiteCheck.Finding {
    /// The reason for display.
    var shown: String {
        switch self {
        case .noBrowser: "neither Sec-Fetch-Site nor Origin is present: not sent by a browser"
        case .listedOrigin: "the Origin is listed in accounts.origins"
        case .sameOrigin: "Sec-Fetch-Site: the page is of the same origin, or there is none"
        case .originIsHost: "the Origin is the Host"
        case .otherSite: "Sec-Fetch-Site: sent by a page of another site"
        case .otherOrigin: "the Origin is not the Host, nor listed in accounts.origins"
        case .ambiguous: "Sec-Fetch-Site or Origin is repeated"
        }
    }
}
