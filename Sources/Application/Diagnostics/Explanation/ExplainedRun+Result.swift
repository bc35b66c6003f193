import Authentication
import Authorization
import Forwarding
import Gatehouse
import GatewayConfiguration
import GatewayCore
import HTTPWire
import RequestPipeline
import Revocation

// The result of the request, from the last step of the pipeline.
extension ExplainedRun {
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

    mutating func denied(_ denial: Denial) -> Explanation {
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

    mutating func responded(_ response: BuiltinResponse) -> Explanation {
        switch response {
        case .preflight(let lines):
            let common = run.plan?.additions?.cors?.lines(to: run.corsOrigin) ?? []
            let vary = CORSPolicy.preflightVary.count
            let fields = String(decoding: common + lines.dropLast(vary), as: UTF8.self)
            return transcript.responded(
                204, "what pages of that origin may send", fields: fields.split(separator: "\r\n").map(String.init))
        case .keys, .page, .asset:
            transcript.pass("path", "\(request.text(request.head.path)), the gateway's own")
            if case .page = response { return transcript.responded(200, "the demo's page") }
            if case .asset(_, let isCurrent) = response {
                return transcript.responded(isCurrent ? 304 : 200, "a file of the sign-in page")
            }
            if explainer.configuration.accounts != nil {
                transcript.record("store", "503 until the keys of session cookies are loaded from the store")
            }
            return transcript.responded(200, "the keys of its assertions and session cookies")
        }
    }

    mutating func permitted(
        _ entry: VerifiedTokenCache.Entry?, _ signedInAt: UnixTime?, _ path: String?
    ) -> Explanation {
        guard let plan = run.plan, let path else {
            if run.endpoint == .page {
                return transcript.responded(200, "the sign-in page, or 303 to return_to with a valid session")
            }
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
