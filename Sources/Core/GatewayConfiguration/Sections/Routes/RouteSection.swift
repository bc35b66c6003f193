package import GatewayCore
import Routing
import SecurityRules

extension Configuration {
    /// Who may pass where (`routes[]`).
    package struct Route: Sendable, Hashable {
        /// The pattern (`path`); required, begins with `/`, at most 2,048 bytes. Its syntax is checked by Routing.
        package var path: String
        /// Lower-case hosts, exact or `*.example.com` (`host`). Default: empty, any.
        package var hosts: [String] = []
        /// Methods in upper case (`methods`). Default: empty, any.
        package var methods: [String] = []
        /// Whether a credential is needed (`auth`). Default: required.
        package var auth = AuthMode.required
        /// Sign-in providers that may pass (`providers`). Default: empty, any.
        package var providers: [String] = []
        /// How long ago the user may have signed in (`recent_sign_in`), 1 s to 365 d. Default: nil, not asked.
        package var recentSignIn: Duration?
        /// Which proofs count as a recent sign-in (`recent_sign_in.proof`). Default: any.
        package var signInProof = SignInProofs.any
        /// Whether a second factor must have been used (`second_factor: required`). Default: false.
        package var secondFactor = false
        /// What an access token must have been given for (`scopes`; RFC 6749 section 3.3). Default: empty, nothing.
        package var scopes: [String] = []
        /// The condition that a request must fulfil besides (`allow`). Default: nil, none. Its names are checked with the pattern's.
        package var allow: RulesExpression?
        /// How revocation is asked (`revocation`). Default: replicated.
        package var revocation = RevocationMode.replicated
        /// What to do when revocation cannot be asked (`on_store_failure`). Default: deny.
        package var onStoreFailure = StoreFailurePolicy.deny
        /// The name of the upstream (`upstream`); required, one that exists.
        package var upstream: String
        /// Literal segments that are taken off the path before it is forwarded (`strip_prefix`): begins with `/`, at
        /// most 1,024 bytes. Its syntax is checked by Routing. Default: nil, nothing.
        package var stripPrefix: String?
        /// Overrides the upstream's `response_timeout`, within the same bounds. Default: nil.
        package var responseTimeout: Duration?
        /// Overrides `limits.body_size`, within the same bounds. Default: nil.
        package var bodySize: Int?
        /// Whether `//` is one `/` (`merge_slashes`). Default: true.
        package var mergeSlashes = true
        /// What happens to `%2F` in a path (`encoded_slashes`). Default: reject.
        package var encodedSlashes = EncodedSlashes.reject
        /// Whether literals of the pattern match in any case (`case_insensitive`). Default: false.
        package var caseInsensitive = false
        /// Whether the cross-site rule is not asked of unsafe methods with a session cookie (`insecure_no_csrf`). Default: false.
        package var insecureNoCSRF = false
        /// Whose pages may call and read the answers (`cors`). Default: nil, CORS is left to the upstream.
        package var cors: CORS?
        /// How many requests the route takes (`rate_limit`), at most 8 limits, all of which hold. Default: empty, any number.
        package var rateLimits: [RateLimit] = []
        /// Answer fields to set and to leave out, besides those of the whole file (`response_headers`). Default: none.
        package var responseHeaders = ResponseHeaders()
        /// How path and host change on the way to the upstream (`rewrite`); not with `strip_prefix`. Default: nil, not at all.
        package var rewrite: Rewrite?
        /// The protocols that requests may change to, in lower case (`upgrade`), none of which carries further requests. Default: empty, none.
        package var upgrade: [String] = []
        /// The query parameter that a token may stand in (`token_query`), at most 64 letters, digits, `_`, `-` and `.`. Default: nil, none.
        package var tokenQuery: String?
        /// Whether a token may stand in `Sec-WebSocket-Protocol` (`token_protocol`); only with `websocket` in ``upgrade``. Default: false.
        package var tokenProtocol = false
        /// Overrides `limits.max_stream`, within the same bounds (`max_stream`). Default: nil.
        package var maxStream: Duration?
        /// Overrides `limits.stream_grace`, within the same bounds (`stream_grace`). Default: nil.
        package var streamGrace: Duration?
        /// Overrides `limits.stream_idle_timeout`, within the same bounds (`stream_idle_timeout`). Default: nil.
        package var streamIdleTimeout: Duration?
        /// Where `path` stands.
        package var location: SourceLocation

        /// A route with the defaults of everything else.
        package init(path: String, upstream: String, location: SourceLocation) {
            self.path = path
            self.upstream = upstream
            self.location = location
        }
    }

    /// Whether a route needs a credential.
    package enum AuthMode: String, Sendable, Hashable, CaseIterable {
        /// A valid credential.
        case required
        /// A valid credential or none.
        case optional
        /// Credentials are not looked at.
        case none
    }

    /// Which proofs of a user count as a recent sign-in.
    package enum SignInProofs: String, Sendable, Hashable, CaseIterable {
        /// An authentication, or a token with a fresh nonce of the gateway.
        case any
        /// Only an authentication: the provider says when the user presented credentials.
        case authenticated
    }

    /// How a route asks whether a credential was revoked.
    package enum RevocationMode: String, Sendable, Hashable, CaseIterable {
        /// The gateway's own table.
        case replicated
        /// The store, on each request.
        case strict
        /// Not at all.
        case off
    }

    /// What a route does when revocation cannot be asked.
    package enum StoreFailurePolicy: String, Sendable, Hashable, CaseIterable {
        /// 503.
        case deny
        /// Forwards; logged and counted each time.
        case allow
    }

    /// What happens to `%2F` in a path.
    package enum EncodedSlashes: String, Sendable, Hashable, CaseIterable {
        /// 400.
        case reject
        /// It stays as it is.
        case keep
    }
}

/// What reading a route needs to know of the rest of the file.
struct RouteSurroundings {
    /// The names under `upstreams`, also of those with errors.
    let upstreams: [String]
    /// Whether there is anybody whose tokens count, be it with errors.
    let hasIdentity: Bool
    /// Whose tokens count, without those with errors.
    let identity: Configuration.Identity
}

extension Configuration.Route {
    static func read(_ value: ConfigurationValue, _ surroundings: RouteSurroundings) -> Configuration.Route? {
        guard let mapping = value.mapping(.route) else { return nil }
        let pathValue = mapping.required("path", "add a pattern, as in path: /v1/{rest=**}")
        let path = pathValue.flatMap(Self.path)
        let upstream = mapping.required("upstream", "name one of the upstreams").flatMap { value in
            Self.upstream(value, surroundings.upstreams)
        }
        var route = Self(
            path: path ?? "", upstream: upstream ?? "", location: pathValue?.location ?? value.location)
        route.readMatch(mapping)
        route.readConditions(mapping)
        route.readForwarding(mapping)
        route.readEdge(mapping)
        route.readStreams(mapping)
        route.checkConditions(mapping, surroundings)
        route.checkAllow(mapping)
        return path != nil && upstream != nil ? route : nil
    }

    private mutating func readMatch(_ mapping: MappingReader) {
        mapping.set(&hosts, "host") { $0.oneOrList(Self.host) }
        mapping.set(&methods, "methods") { $0.list(Self.method) }
        mapping.set(&mergeSlashes, "merge_slashes") { $0.boolean() }
        mapping.set(&encodedSlashes, "encoded_slashes") { $0.choice() }
        mapping.set(&caseInsensitive, "case_insensitive") { $0.boolean() }
    }

    private mutating func readConditions(_ mapping: MappingReader) {
        mapping.set(&auth, "auth") { $0.choice() }
        mapping.set(&providers, "providers") { $0.list(Self.provider) }
        if let value = mapping.value("recent_sign_in") { readRecentSignIn(value) }
        mapping.set(&secondFactor, "second_factor") { $0.choice(of: ["required"]).map { _ in true } }
        mapping.set(&scopes, "scopes", Self.scopes)
        mapping.set(&allow, "allow") { $0.rulesExpression() }
        mapping.set(&revocation, "revocation") { $0.choice() }
        mapping.set(&onStoreFailure, "on_store_failure") { $0.choice() }
        mapping.set(&insecureNoCSRF, "insecure_no_csrf") { $0.boolean() }
    }

    /// A duration alone, or with the kind of proof that counts.
    private mutating func readRecentSignIn(_ value: ConfigurationValue) {
        let bounds: ClosedRange<Duration> = .seconds(1) ... .days(365)
        guard case .mapping = value.content else {
            recentSignIn = value.duration(in: bounds)
            return
        }
        guard let mapping = value.mapping(.recentSignIn) else { return }
        let maxAge = mapping.required("max_age", "say how long ago the user may have signed in, as in 5m")
        recentSignIn = maxAge?.duration(in: bounds)
        mapping.set(&signInProof, "proof") { $0.choice() }
    }

    private mutating func readForwarding(_ mapping: MappingReader) {
        mapping.set(&responseTimeout, "response_timeout") { $0.duration(in: Configuration.Limits.times) }
        mapping.set(&bodySize, "body_size") { $0.size(in: Configuration.Limits.bodySizes) }
        mapping.set(&stripPrefix, "strip_prefix", Self.prefix)
    }

    /// Reads what a route does at its edge, besides letting requests pass: CORS, rate limits, answer fields, rewriting.
    mutating func readEdge(_ mapping: MappingReader) {
        let methods = methods
        mapping.set(&cors, "cors") { value in
            value.mapping(.cors).flatMap { Configuration.CORS.read($0, methods: methods) }
        }
        mapping.set(&rateLimits, "rate_limit", Configuration.RateLimit.list)
        mapping.set(&responseHeaders, "response_headers") { $0.responseHeaders() }
        mapping.set(&rewrite, "rewrite") { $0.mapping(.rewrite).flatMap(Configuration.Rewrite.read) }
        checkRewrite(mapping)
    }

    /// Reads what the route does about streams: `upgrade`, where a token may stand besides, and the bounds.
    mutating func readStreams(_ mapping: MappingReader) {
        mapping.set(&upgrade, "upgrade") { $0.list(Self.upgrade) }
        mapping.set(&tokenQuery, "token_query", Self.parameter)
        mapping.set(&tokenProtocol, "token_protocol") { $0.boolean() }
        mapping.set(&maxStream, "max_stream") { $0.duration(in: Configuration.Limits.streamTimes) }
        mapping.set(&streamGrace, "stream_grace") { $0.duration(in: Configuration.Limits.graces) }
        mapping.set(&streamIdleTimeout, "stream_idle_timeout") { $0.duration(in: Configuration.Limits.times) }
        checkStreams(mapping)
    }
}
