import Authentication
import Authorization
import Forwarding
import Gatehouse
import GatewayConfiguration
import GatewayCore
import HTTPWire
import RequestPipeline
import Routing

// The steps that the findings of the phases add to the transcript.
extension ExplainedRun {
    mutating func show(_ finding: PipelineFinding) async {
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
        case .builtin(.keys), .builtin(.page), .builtin(.asset): break
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
        case .firebase(let failure):
            guard let failure else { return transcript.pass("project", "of the route and the host, as is the tenant") }
            transcript.fail("project", failure.text)
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
            let gateways = limit.scope == .fleet ? " at all gateways" : ""
            transcript.record(
                "rate limit",
                "\(limit.requests) in \(DurationText.write(limit.every)) per \(limit.per.rawValue)\(gateways), "
                    + "not counted here")
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
    var query: String {
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

    mutating func showVerified(_ entry: VerifiedTokenCache.Entry?) {
        guard let entry, principal == nil else { return }
        principal = entry.principal
        transcript.pass("verified", "the user is \(entry.principal.user.shown)")
    }
}
