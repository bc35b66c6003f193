import AdminAPI
import Authentication
import Authorization
import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Revocation
import Routing

/// The findings of one request's phases, recorded as the pipeline decides, for viewers of the admin API.
final class DecisionFindings: PipelineObserver {
    private var findings: [PipelineFinding] = []

    func observe(_ finding: PipelineFinding) {
        // A run that continues at a later phase of the authorization decides the revocation again.
        if case .authorization(.revocation) = finding { resume(at: .revocation) }
        findings.append(finding)
    }

    /// Continues a run at a phase. A run that waited, or tries another server, decides again from there.
    func resume(at phase: DecisionPhase) { findings.removeAll { $0.phase >= phase } }

    /// The steps of the decision with the names of `explain`, without personal data.
    func steps(on plan: RoutePlan?) -> [DecisionRecord.Step] { findings.compactMap { $0.step(on: plan) } }
}

extension PipelineFinding {
    /// The phase that reports the finding.
    fileprivate var phase: DecisionPhase {
        switch self {
        case .origin, .invalidOrigin: .origin
        case .methodIsNeverForwarded, .preflight, .builtin, .methodOfBuiltin: .builtin
        case .routed, .noRoute, .noMethod, .invalidPath: .route
        case .rateLimited(let limit): limit.isOfUser ? .userLimits : .limits
        case .bodyTooLong: .limits
        case .upgrade: .upgrade
        case .crossSite, .crossSiteNotChecked: .crossSite
        case .credential, .credentialNotNeeded, .authenticated, .notAuthenticated, .firebase: .authenticate
        case .appCheck: .appCheck
        case .authorization(let finding): finding.phase
        }
    }

    /// The step of the finding. `nil` if `explain` shows none.
    fileprivate func step(on plan: RoutePlan?) -> DecisionRecord.Step? {
        func step(_ isPassed: Bool, _ name: String, _ detail: String) -> DecisionRecord.Step {
            DecisionRecord.Step(phase, isPassed ? .passed : .failed, name, detail)
        }
        func note(_ name: String, _ detail: String) -> DecisionRecord.Step {
            DecisionRecord.Step(phase, .note, name, detail)
        }
        switch self {
        case .origin: return nil
        case .invalidOrigin: return step(false, "origin", "the fields of a trusted proxy are invalid")
        case .methodIsNeverForwarded: return step(false, "method", "CONNECT and TRACE are never forwarded")
        case .preflight(_, let plan, let isAllowed):
            let text = "a preflight for \(plan.pattern); credentials are not checked, and the Origin is"
            return step(isAllowed, "cors", "\(text) \(isAllowed ? "" : "not ")allowed")
        case .builtin(.account(let endpoint)):
            return step(true, "call", "\(endpoint.path), an endpoint of the gateway: the request is not forwarded")
        case .builtin: return step(true, "path", "the gateway's own")
        case .methodOfBuiltin(let allowed): return step(false, "method", "only \(allowed)")
        case .routed: return step(true, "route", plan?.pattern ?? "")
        case .noRoute: return step(false, "route", "no route for this host and path")
        case .noMethod(let allowed): return step(false, "route", "the path has routes, but only for \(allowed)")
        case .invalidPath(let error): return step(false, "path", "\(error.reason) at byte \(error.offset + 1)")
        case .rateLimited(let limit): return step(false, "rate limit", limit.text)
        case .bodyTooLong(let length, let limit): return step(false, "body", "\(length) bytes; the limit is \(limit)")
        case .upgrade(.nothing): return nil
        case .upgrade(.upgrade(let upgrade)):
            return step(true, "upgrade", "to \(String(decoding: upgrade.name, as: UTF8.self)), if the upstream agrees")
        case .upgrade(.malformed(let why)): return step(false, "upgrade", "no handshake (\(why))")
        case .crossSite(_, isListedForCredentials: true):
            return step(true, "site", "the Origin is allowed to send requests with credentials")
        case .crossSite(let finding, _): return step(finding.passes, "site", finding.shown)
        case .crossSiteNotChecked: return note("site", "not checked: the route has insecure_no_csrf")
        case .credentialNotNeeded: return note("credential", "not checked: the route has auth: none")
        case .credential(let offer):
            let isRequired = plan?.policy.authentication == .required
            return offer.step(isRequired: isRequired, phase)
        case .authenticated(let entry): return entry.map { _ in step(true, "verified", "the credential is valid") }
        // The text of a failure can name the project of an unverified token.
        case .notAuthenticated(let failure): return step(false, "verified", failure.reason.rawValue)
        case .firebase(let failure):
            return step(
                failure == nil, "project", failure?.reason.rawValue ?? "of the route and the host, as is the tenant")
        case .appCheck(let finding): return finding.step(enforces: plan?.appCheck?.enforces == true)
        case .authorization(let finding): return finding.step(on: plan)
        }
    }
}

extension FoundCredentials.Offer {
    fileprivate func step(isRequired: Bool, _ phase: DecisionPhase) -> DecisionRecord.Step {
        let (mark, detail): (DecisionRecord.Step.Mark, String) =
            switch self {
            case .none where isRequired: (.failed, "none, but the route requires one")
            case .none: (.passed, "none; the route permits anonymous requests, and auth is null")
            case .unsupported: (.failed, "the field of the Bearer token carries another scheme")
            case .ambiguous: (.failed, "more than one, and they differ")
            case .token(_, .idToken): (.passed, "a Bearer token in the header")
            case .token: (.passed, "a session cookie")
            case .text: (.passed, "a token in the query or in Sec-WebSocket-Protocol")
            }
        return DecisionRecord.Step(phase, mark, "credential", detail)
    }
}

extension AppCheckFinding {
    fileprivate func step(enforces: Bool) -> DecisionRecord.Step {
        let mode = enforces ? "" : "; the route only monitors"
        let (isPassed, detail): (Bool, String) =
            switch self {
            case .absent(let isFirebase):
                (false, "no App Check token, \(isFirebase ? "" : "not ")sent by a Firebase SDK\(mode)")
            case .refused(let failure): (false, "App Check: \(failure.rawValue)\(mode)")
            case .verified(let proof, isPermitted: true): (true, proof.app.name)
            case .verified(let proof, _): (false, "\(proof.app.name), which the route does not permit\(mode)")
            case .noKeys: (false, "the keys of App Check are not available\(mode)")
            }
        return DecisionRecord.Step(.appCheck, isPassed ? .passed : enforces ? .failed : .note, "app", detail)
    }
}

extension AuthorizationFinding {
    fileprivate var phase: DecisionPhase {
        switch self {
        case .revocation: .revocation
        case .account: .account
        case .provider: .provider
        case .scopes: .scopes
        case .recency: .recency
        case .secondFactor: .secondFactor
        }
    }

    /// The step of the finding. `nil` if the route does not check it, or the result is not known yet.
    fileprivate func step(on plan: RoutePlan?) -> DecisionRecord.Step? {
        guard let policy = plan?.policy else { return nil }
        func step(_ isPassed: Bool, _ name: String, _ detail: String) -> DecisionRecord.Step {
            DecisionRecord.Step(phase, isPassed ? .passed : .failed, name, detail)
        }
        switch self {
        case .revocation where policy.revocation == .off:
            return DecisionRecord.Step(phase, .note, "revocation", "not checked: the route has revocation: off")
        case .revocation(.passes): return step(true, "revocation", "neither the user nor the session is revoked")
        case .revocation(.revoked(.userDisabled)): return step(false, "revocation", "the user is disabled")
        case .revocation(.revoked): return step(false, "revocation", "the sign-in or the session is revoked")
        case .revocation(.unknown(let failure)):
            let mark = policy.allowsOnStoreFailure ? DecisionRecord.Step.Mark.note : .failed
            return DecisionRecord.Step(phase, mark, "revocation", "unknown: \(failure.rawValue)")
        case .revocation(.loading), .revocation(.notQueried): return nil
        case .account(nil): return step(true, "account", "neither disabled, deleted nor revoked in Firebase")
        case .account(.deny(let denial)?): return step(false, "account", "\(denial.code.wire)")
        case .account: return nil
        case .provider(let isPermitted):
            guard !policy.providers.isEmpty else { return nil }
            return step(isPermitted, "providers", "accepted: \(policy.providers.joined(separator: ", "))")
        case .scopes(let isPermitted):
            guard !policy.scopes.isEmpty else { return nil }
            return step(isPermitted, "scopes", "required: \(policy.scopes.joined(separator: ", "))")
        case .recency(let recency):
            guard let maxAge = policy.recentSignIn else { return nil }
            switch recency {
            case .recent(nil): return step(true, "recent sign-in", "at most \(maxAge) s ago")
            case .recent: return step(true, "recent sign-in", "proved again, at most \(maxAge) s ago")
            case .tooOld: return step(false, "recent sign-in", "more than \(maxAge) s ago")
            case .ended: return step(false, "recent sign-in", "the session is revoked")
            case .unknown(let failure): return step(false, "recent sign-in", "unknown: \(failure.rawValue)")
            case .loading, .notQueried: return nil
            }
        case .secondFactor(let isPermitted):
            guard policy.secondFactor else { return nil }
            return step(isPermitted, "second factor", isPermitted ? "used" : "not used, but required by the route")
        }
    }
}
