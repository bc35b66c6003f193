import GatewayConfiguration

extension AdminDocument {
    /// The routes, by the configuration's keys. Time limits and answer fields decide nothing and are left out.
    static func routes(_ routes: [Configuration.Route]) -> AdminResponse {
        .json(
            AdminJSON.object { body in
                body.member("routes", routes) { route, output in
                    matching(route, &output)
                    deciding(route, &output)
                    forwarding(route, &output)
                    output.member("defined_at", "\(route.location)")
                }
            })
    }

    private static func matching(_ route: Configuration.Route, _ output: inout AdminJSON) {
        output.member("path", route.path)
        output.member("hosts", route.hosts)
        output.member("methods", route.methods)
        output.member("merge_slashes", route.mergeSlashes)
        output.member("encoded_slashes", route.encodedSlashes.rawValue)
        output.member("case_insensitive", route.caseInsensitive)
    }

    private static func deciding(_ route: Configuration.Route, _ output: inout AdminJSON) {
        output.member("auth", route.auth.rawValue)
        output.member("providers", route.providers)
        output.member("recent_sign_in", route.recentSignIn?.components.seconds)
        output.member("recent_sign_in_proof", route.recentSignIn.map { _ in route.signInProof.rawValue })
        output.member("second_factor", route.secondFactor ? "required" : nil)
        output.member("scopes", route.scopes)
        output.member("allow", route.allow?.text)
        output.member("revocation", route.revocation.rawValue)
        output.member("on_store_failure", route.onStoreFailure.rawValue)
        output.member("insecure_no_csrf", route.insecureNoCSRF)
        output.member("cors", route.cors) { cors, output in
            output.member("origins", cors.origins)
            output.member("methods", cors.methods ?? route.methods)
            output.member("headers", cors.headers ?? [])
            output.member("expose", cors.expose)
            output.member("credentials", cors.credentials)
            output.member("max_age", cors.maximumAge.components.seconds)
        }
        output.member("token_query", route.tokenQuery)
        output.member("token_protocol", route.tokenProtocol)
        output.member("rate_limit", route.rateLimits) { limit, output in
            output.member("per", limit.per.rawValue)
            output.member("requests", Int64(limit.requests))
            output.member("every", limit.every.components.seconds)
            output.member("burst", Int64(limit.burst))
        }
        output.member("body_size", route.bodySize.map { Int64($0) })
    }

    private static func forwarding(_ route: Configuration.Route, _ output: inout AdminJSON) {
        output.member("upstream", route.upstream)
        output.member("strip_prefix", route.stripPrefix)
        output.member("rewrite", route.rewrite) { rewrite, output in
            output.member("path", rewrite.path)
            output.member("host", rewrite.host)
        }
        output.member("upgrade", route.upgrade)
    }
}
