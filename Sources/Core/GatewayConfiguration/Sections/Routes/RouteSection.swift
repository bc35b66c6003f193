package import GatewayCore

extension Configuration {
    /// A route with its access policy (`routes[]`).
    package struct Route: Sendable, Hashable {
        /// The pattern (`path`), which begins with `/`, at most 2,048 bytes. Required. Routing checks its syntax.
        package var path: String
        /// Lower-case hosts, exact or `*.example.com` (`host`). Default: empty, any.
        package var hosts: [String] = []
        /// Methods in upper case (`methods`). Default: empty, any.
        package var methods: [String] = []
        /// The requirement of a credential (`auth`). Default: required.
        package var auth = AuthMode.required
        /// The permitted Firebase projects and tenants (`project`, `tenant`). Default: `nil`, any credential.
        package var firebase: FirebaseRestriction?
        /// The permitted sign-in providers (`providers`). Default: empty, any.
        package var providers: [String] = []
        /// The maximum age of the sign-in (`recent_sign_in`), 1 s to 365 d. Default: `nil`, not required.
        package var recentSignIn: Duration?
        /// The proofs that count as a recent sign-in (`recent_sign_in.proof`). Default: any.
        package var signInProof = SignInProofs.any
        /// Whether a second factor is required (`second_factor: required`). Default: false.
        package var secondFactor = false
        /// The required scopes of an access token (`scopes`; RFC 6749 section 3.3). Default: empty.
        package var scopes: [String] = []
        /// A further condition (`allow`). Default: `nil`, none. Its names are checked with the pattern.
        package var allow: RulesExpression?
        /// The revocation check (`revocation`). Default: replicated.
        package var revocation = RevocationMode.replicated
        /// The policy if the revocation check is not possible (`on_store_failure`). Default: deny.
        package var onStoreFailure = StoreFailurePolicy.deny
        /// The name of an existing upstream (`upstream`). `nil` for a policy of the listener for decisions.
        package var upstream: String?
        /// Literal segments that are removed before forwarding (`strip_prefix`), which begin with `/`, at most 1,024
        /// bytes. Routing checks the syntax. Default: `nil`, none.
        package var stripPrefix: String?
        /// An override of the upstream's `response_timeout`, within the same bounds. Default: `nil`.
        package var responseTimeout: Duration?
        /// An override of `limits.body_size`, within the same bounds. Default: `nil`.
        package var bodySize: Int?
        /// Whether `//` equals `/` (`merge_slashes`). Default: true.
        package var mergeSlashes = true
        /// The handling of `%2F` in a path (`encoded_slashes`). Default: reject.
        package var encodedSlashes = EncodedSlashes.reject
        /// Whether literals of the pattern ignore case (`case_insensitive`). Default: false.
        package var caseInsensitive = false
        /// Whether unsafe methods with a session cookie are exempt from the cross-site check (`insecure_no_csrf`).
        /// Default: false.
        package var insecureNoCSRF = false
        /// The CORS policy (`cors`). Default: `nil`, left to the upstream.
        package var cors: CORS?
        /// The rate limits, at most 8, all of which apply (`rate_limit`). Default: empty.
        package var rateLimits: [RateLimit] = []
        /// Response fields to set and to remove, in addition to the policy of the file (`response_headers`). Default:
        /// none.
        package var responseHeaders = ResponseHeaders()
        /// The changes of path and host for the upstream (`rewrite`). Excludes `strip_prefix`. Default: `nil`, none.
        package var rewrite: Rewrite?
        /// The permitted upgrade protocols in lower case (`upgrade`), except protocols that carry further requests.
        /// Default: empty.
        package var upgrade: [String] = []
        /// The query parameter for a token (`token_query`), at most 64 letters, digits, `_`, `-` and `.`. Default:
        /// `nil`, none.
        package var tokenQuery: String?
        /// Whether `Sec-WebSocket-Protocol` can contain a token (`token_protocol`). Requires `websocket` in
        /// ``upgrade``. Default: false.
        package var tokenProtocol = false
        /// An override of `limits.max_stream`, within the same bounds (`max_stream`). Default: `nil`.
        package var maxStream: Duration?
        /// An override of `limits.stream_grace`, within the same bounds (`stream_grace`). Default: `nil`.
        package var streamGrace: Duration?
        /// An override of `limits.stream_idle_timeout`, within the same bounds (`stream_idle_timeout`). Default: `nil`.
        package var streamIdleTimeout: Duration?
        /// The handling of App Check tokens (`app_check`). Default: off.
        package var appCheck = AppCheckMode.off
        /// The names of the permitted apps (`apps`). Requires ``appCheck``. Default: `nil`, all configured ones.
        package var apps: [String]?
        /// Whether each request consumes its App Check token (`app_check_consume`). Requires ``appCheck`` `enforce`.
        /// Default: false.
        package var consumesAppToken = false
        /// Whether the route belongs to Firebase's sign-in helper: it forwards no credential, and accepts requests of
        /// other sites. The file does not contain such routes.
        package var isAuthHelper = false
        /// The location of `path`.
        package var location: SourceLocation

        /// Creates a route with default settings.
        package init(path: String, upstream: String?, location: SourceLocation) {
            self.path = path
            self.upstream = upstream
            self.location = location
        }
    }

    /// The requirement of a credential.
    package enum AuthMode: String, Sendable, Hashable, CaseIterable {
        /// A valid credential.
        case required
        /// A valid credential or no credential.
        case optional
        /// Credentials are ignored.
        case none
    }

    /// The proofs of identity that count as a recent sign-in.
    package enum SignInProofs: String, Sendable, Hashable, CaseIterable {
        /// An authentication, or a token with a new nonce of the gateway.
        case any
        /// Only an authentication: the provider reports when the user presented credentials.
        case authenticated
    }

    /// The kinds of revocation checks.
    package enum RevocationMode: String, Sendable, Hashable, CaseIterable {
        /// The gateway's own table.
        case replicated
        /// The store, for each request.
        case strict
        /// No check.
        case off
    }

    /// The policy if the revocation check is not possible.
    package enum StoreFailurePolicy: String, Sendable, Hashable, CaseIterable {
        /// Respond with 503.
        case deny
        /// Forward, and log and count each request.
        case allow
    }

    /// The handling of `%2F` in a path.
    package enum EncodedSlashes: String, Sendable, Hashable, CaseIterable {
        /// Respond with 400.
        case reject
        /// Keep it unchanged.
        case keep
    }
}

/// The parts of the file that reading a route depends on.
struct RouteSurroundings {
    /// The names under `upstreams`, including invalid ones.
    let upstreams: [String]
    /// The upstreams with HTTP/2.
    let multiplexed: Set<String>
    /// Whether any issuer is configured, even with errors.
    let hasIdentity: Bool
    /// Whether the file configures Firebase, and App Check, even with errors.
    let hasFirebase: Bool
    let hasAppCheck: Bool
    /// The valid identity providers.
    let identity: Configuration.Identity
    /// Whether the listener for decisions is configured, so that routes need no upstream.
    let hasDecisions: Bool
    /// Whether several gateways can have the store.
    let sharesStore: Bool
}

extension Configuration.Route {
    static func read(_ value: ConfigurationValue, _ surroundings: RouteSurroundings) -> Configuration.Route? {
        guard let mapping = value.mapping(.route) else { return nil }
        let pathValue = mapping.required("path", "add a pattern, as in path: /v1/{rest=**}")
        let path = pathValue.flatMap(Self.path)
        let upstreamValue =
            surroundings.hasDecisions
            ? mapping.value("upstream") : mapping.required("upstream", "add the name of an upstream")
        let upstream = upstreamValue.flatMap { value in Self.upstream(value, surroundings.upstreams) }
        let isPolicy = surroundings.hasDecisions && upstreamValue == nil
        var route = Self(path: path ?? "", upstream: upstream, location: pathValue?.location ?? value.location)
        route.readMatch(mapping)
        route.readConditions(mapping)
        route.readForwarding(mapping)
        route.readEdge(mapping)
        route.readStreams(mapping)
        if !route.upgrade.isEmpty, let name = route.upstream, surroundings.multiplexed.contains(name) {
            mapping.fail(
                "upgrade", "upgrade on a route to an upstream with HTTP/2, which has no upgrades",
                "remove it, or use an upstream with protocol: http/1.1")
        }
        route.readFirebase(mapping, surroundings)
        route.readAppCheck(mapping, surroundings)
        route.checkConditions(mapping, surroundings)
        route.checkAllow(mapping)
        if isPolicy { route.refuseForwarding(mapping) }
        return path != nil && (upstream != nil || isPolicy) ? route : nil
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
        mapping.set(&revocation, "revocation", Self.revocation)
        mapping.set(&onStoreFailure, "on_store_failure") { $0.choice() }
        mapping.set(&insecureNoCSRF, "insecure_no_csrf") { $0.boolean() }
    }

    /// Reads a duration, or a mapping with the accepted kind of proof.
    private mutating func readRecentSignIn(_ value: ConfigurationValue) {
        let bounds: ClosedRange<Duration> = .seconds(1) ... .days(365)
        guard case .mapping = value.content else {
            recentSignIn = value.duration(in: bounds)
            return
        }
        guard let mapping = value.mapping(.recentSignIn) else { return }
        let maxAge = mapping.required("max_age", "write the maximum time since the sign-in, as in 5m")
        recentSignIn = maxAge?.duration(in: bounds)
        mapping.set(&signInProof, "proof") { $0.choice() }
    }

    private mutating func readForwarding(_ mapping: MappingReader) {
        mapping.set(&responseTimeout, "response_timeout") { $0.duration(in: Configuration.Limits.times) }
        mapping.set(&bodySize, "body_size") { $0.size(in: Configuration.Limits.bodySizes) }
        mapping.set(&stripPrefix, "strip_prefix", Self.prefix)
    }

    /// Reads the settings other than access: CORS, rate limits, response fields, rewriting.
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

    /// Reads the settings of streams: `upgrade`, further sources of a token, and the limits.
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
