import GatewayCore
import Routing
import SecurityRules

extension Configuration.Route {
    func checkConditions(_ mapping: MappingReader, _ surroundings: RouteSurroundings) {
        if auth == .none {
            refuseConditions(mapping)
        } else if auth == .optional {
            refuseConditionsOfUsers(mapping)
        }
        if auth != .none, !surroundings.hasIdentity {
            mapping.context.fail(
                location, "the route requires a credential, but identity has no issuer",
                "add identity.firebase.project or an entry of identity.providers, or set auth: none")
        }
        if onStoreFailure == .allow {
            mapping.warn(
                "on_store_failure", "revoked users are permitted while the store is unavailable",
                "remove it to respond with 503 instead")
        }
        if insecureNoCSRF {
            mapping.warn(
                "insecure_no_csrf", "pages of other sites can send requests with the user's session cookie",
                "remove it, or have the service detect such requests itself")
        }
        if rateLimits.contains(where: { $0.scope == .fleet }), !surroundings.sharesStore {
            mapping.fail(
                "rate_limit", "rate_limit has a limit with scope: fleet, but the store has only one gateway",
                "use a Redis store, or remove scope")
        }
        if auth != .none { warnOfProviders(mapping, surroundings.identity) }
    }

    /// Rejects conditions that anonymous requests cannot meet, since `auth: optional` would permit them nevertheless.
    private func refuseConditionsOfUsers(_ mapping: MappingReader) {
        let conditions = [
            (firebaseKey, firebase != nil), ("providers", !providers.isEmpty), ("recent_sign_in", recentSignIn != nil),
            ("second_factor", secondFactor), ("scopes", !scopes.isEmpty),
        ]
        for (key, isSet) in conditions where isSet {
            mapping.fail(
                key, "\(key) does not apply to anonymous requests, which auth: optional permits",
                "remove it, or set auth: required")
        }
    }

    /// The key that restricts Firebase credentials.
    private var firebaseKey: String { firebase?.projects.isEmpty == false ? "project" : "tenant" }

    /// Rejects settings of forwarding on a route without an upstream, because they would have no effect.
    func refuseForwarding(_ mapping: MappingReader) {
        let keys = ["strip_prefix", "rewrite", "response_timeout", "cors", "response_headers", "body_size"]
        for key in keys where mapping.value(key) != nil {
            mapping.fail(key, "\(key) has no effect on a route without an upstream", "remove it, or add upstream")
        }
    }

    private func refuseConditions(_ mapping: MappingReader) {
        let conditions = [
            (firebaseKey, firebase != nil), ("providers", !providers.isEmpty), ("recent_sign_in", recentSignIn != nil),
            ("second_factor", secondFactor), ("scopes", !scopes.isEmpty), ("allow", allow != nil),
            ("revocation", revocation == .strict),
        ]
        for (key, isSet) in conditions where isSet {
            mapping.fail(key, "\(key) can never apply on a route with auth: none", "remove it, or remove auth: none")
        }
    }

    /// Reports all errors of the condition. If the pattern is invalid, its captures are unknown; the reader of the
    /// pattern reports that error.
    func checkAllow(_ mapping: MappingReader) {
        guard let allow, let value = mapping.value("allow"), let captures = ruleCaptures else { return }
        do throws(RuleProblems) {
            value.warn(try Ruleset(allow, captures: captures).warnings)
        } catch {
            value.report(error)
        }
    }

    private var ruleCaptures: [RuleCapture]? {
        let slashes: RouteDefinition.EncodedSlashes = encodedSlashes == .keep ? .keep : .reject
        return try? RoutePattern(path, encodedSlashes: slashes, caseInsensitive: caseInsensitive).ruleCaptures
    }

    func checkRewrite(_ mapping: MappingReader) {
        guard let path = rewrite?.path else { return }
        let place = mapping.location(of: "rewrite")
        guard stripPrefix == nil else {
            return mapping.context.fail(
                place, "rewrite.path and strip_prefix are mutually exclusive", "remove one of them")
        }
        // If the pattern is invalid, its captures are unknown; the reader of the pattern reports that error.
        guard let pattern = try? RoutePattern(self.path, encodedSlashes: slashes, caseInsensitive: caseInsensitive)
        else { return }
        do throws(PathTemplateError) {
            _ = try PathTemplate(path, pattern: pattern)
        } catch {
            mapping.context.fail(place, "rewrite.path: \(error.what)", error.remedy)
        }
    }

    private var slashes: RouteDefinition.EncodedSlashes { encodedSlashes == .keep ? .keep : .reject }

    func checkStreams(_ mapping: MappingReader) {
        if tokenProtocol, !upgrade.contains("websocket") {
            mapping.fail(
                "token_protocol", "token_protocol requires WebSockets, which the route does not accept",
                "add upgrade: [websocket], or remove it")
        }
        guard auth == .none else { return }
        for (key, isSet) in [("token_query", tokenQuery != nil), ("token_protocol", tokenProtocol)] where isSet {
            mapping.fail(key, "\(key) can never apply on a route with auth: none", "remove it, or remove auth: none")
        }
    }

    /// Warns about credentials that the route appears to accept but cannot.
    private func warnOfProviders(_ mapping: MappingReader, _ identity: Configuration.Identity) {
        let place = mapping.value("providers") == nil ? location : mapping.location(of: "providers")
        warnOfStrangers(mapping, identity)
        warnOfAmbiguity(mapping.context, at: place, identity)
        if !scopes.isEmpty, !identity.providers.contains(where: { $0.opaqueTokens != nil }) {
            mapping.warn(
                "scopes", "no configured token has scopes, so every request is denied",
                "add a provider of access tokens to identity.providers, or remove it")
        }
    }

    /// Warns about several opaque-token providers, since an opaque token does not identify its provider.
    private func warnOfAmbiguity(
        _ context: LoadingContext, at place: SourceLocation, _ identity: Configuration.Identity
    ) {
        let opaque = identity.providers.filter { $0.opaqueTokens != nil }.map(\.id)
        let named = providers.isEmpty ? opaque : opaque.filter(providers.contains)
        guard named.count > 1 else { return }
        context.warn(
            place, "opaque tokens are rejected here, since \(named.joined(separator: " or ")) could have issued them",
            "list only one of them in providers")
    }

    private func warnOfStrangers(_ mapping: MappingReader, _ identity: Configuration.Identity) {
        let configured = identity.providers.map(\.id)
        for id in providers where !configured.contains(id) {
            guard identity.firebase == nil || !Configuration.Firebase.maySignIn(id) else { continue }
            let known = configured + (identity.firebase == nil ? [] : Configuration.Firebase.signInProviders)
            let meant = Configuration.Provider.suggestion(for: id, among: known)
            mapping.warn(
                "providers", "no configured provider is \(Quoted(id))",
                meant.map { "did you mean '\($0)'?" } ?? "remove it, or add it to identity.providers")
        }
    }
}
