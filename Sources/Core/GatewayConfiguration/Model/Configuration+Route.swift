package import GatewayCore

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
}

extension Configuration {
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
