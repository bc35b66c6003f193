import GatewayCore
import GatewayConfiguration

extension AdminDocument {
    /// Returns the routes with the keys of the configuration. Timeouts and response fields do not affect decisions and
    /// are omitted.
    static func routes(_ routes: [Configuration.Route]) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("routes", routes) { route, output in
                    matching(route, &output)
                    deciding(route, &output)
                    forwarding(route, &output)
                    output.add("policy", route.policyText)
                    output.add("defined_at", "\(route.location)")
                }
            })
    }

    private static func matching(_ route: Configuration.Route, _ output: inout ObjectText) {
        output.add("path", route.path)
        output.add("hosts", route.hosts)
        output.add("methods", route.methods)
        output.add("merge_slashes", route.mergeSlashes)
        output.add("encoded_slashes", route.encodedSlashes.rawValue)
        output.add("case_insensitive", route.caseInsensitive)
    }

    private static func deciding(_ route: Configuration.Route, _ output: inout ObjectText) {
        output.add("auth", route.auth.rawValue)
        if let firebase = route.firebase {
            output.add("projects", firebase.projects)
            output.add("tenants", firebase.tenants.shown)
        }
        output.add("providers", route.providers)
        output.add("recent_sign_in", orNull: route.recentSignIn?.components.seconds)
        output.add("recent_sign_in_proof", orNull: route.recentSignIn.map { _ in route.signInProof.rawValue })
        output.add("second_factor", orNull: route.secondFactor ? "required" : nil)
        output.add("scopes", route.scopes)
        output.add("app_check", route.appCheck.rawValue)
        output.add("apps", route.apps ?? [])
        output.add("app_check_consume", route.consumesAppToken)
        output.add("allow", orNull: route.allow?.text)
        output.add("revocation", route.revocation.rawValue)
        output.add("on_store_failure", route.onStoreFailure.rawValue)
        output.add("insecure_no_csrf", route.insecureNoCSRF)
        output.add("cors", orNull: route.cors) { cors, output in
            output.add("origins", cors.origins)
            output.add("methods", cors.methods ?? route.methods)
            output.add("headers", cors.headers ?? [])
            output.add("expose", cors.expose)
            output.add("credentials", cors.credentials)
            output.add("max_age", cors.maximumAge.components.seconds)
        }
        output.add("token_query", orNull: route.tokenQuery)
        output.add("token_protocol", route.tokenProtocol)
        output.add("rate_limit", route.rateLimits) { limit, output in
            output.add("per", limit.per.rawValue)
            output.add("requests", Int64(limit.requests))
            output.add("every", limit.every.components.seconds)
            output.add("burst", Int64(limit.burst))
            output.add("scope", limit.scope.rawValue)
        }
        output.add("body_size", orNull: route.bodySize.map { Int64($0) })
    }

    private static func forwarding(_ route: Configuration.Route, _ output: inout ObjectText) {
        output.add("upstream", orNull: route.upstream)
        output.add("strip_prefix", orNull: route.stripPrefix)
        output.add("rewrite", orNull: route.rewrite) { rewrite, output in
            output.add("path", orNull: rewrite.path)
            output.add("host", orNull: rewrite.host)
        }
        output.add("upgrade", route.upgrade)
    }
}

extension Configuration.FirebaseRestriction.Tenants {
    /// The tenants as in the configuration. Empty if they are not restricted.
    fileprivate var shown: [String] {
        switch self {
        case .unrestricted: []
        case .absent: ["none"]
        case .present: ["any"]
        case .anyOf(let ids): ids
        }
    }
}
