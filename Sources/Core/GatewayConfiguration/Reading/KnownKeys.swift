/// The valid keys of one mapping. This is the only list of them, for the loader and for the test of the JSON Schema.
package struct KnownKeys: Sendable {
    /// The path of the mapping, such as `limits` or `routes[]`. Empty for the whole file.
    let path: String
    /// The valid keys.
    let supported: [String]
    /// The keys for which an empty value has a documented meaning, with the permitted kinds.
    private let empty: [String: EmptyValues]
    /// Other names of valid keys.
    let aliases: [String: String]

    package init(
        _ path: String, _ supported: [String], empty: [String: EmptyValues] = [:], aliases: [String: String] = [:]
    ) {
        self.path = path
        self.supported = supported
        self.empty = empty
        self.aliases = aliases
    }

    /// Returns the empty values that a key permits.
    func permitted(_ key: String) -> EmptyValues {
        empty[key] ?? []
    }

    /// Returns whether the key is valid.
    func contains(_ key: String) -> Bool {
        supported.contains(key)
    }
}

extension KnownKeys {
    static let root = KnownKeys(
        "",
        [
            "listen", "decisions", "workers", "limits", "drain", "reload", "admin", "identity", "store", "revocation",
            "accounts",
            "headers", "rules", "upstreams", "routes", "log", "trusted_proxies", "response_headers", "trace_context",
            "telemetry",
        ],
        empty: [
            "accounts": [.null, .collection], "decisions": .null, "telemetry": .null, "trusted_proxies": .collection,
            "workers": .null,
        ])
    static let trustedProxy = KnownKeys("trusted_proxies[]", ["network", "sets"])
    static let listener = KnownKeys("listen[]", ["address", "tls", "protocols", "proxy_protocol"])
    static let listenerTLS = KnownKeys(
        "listen[].tls",
        [
            "certificate", "private_key", "certificates", "client_ca", "client_certificates", "minimum_version",
        ], empty: ["certificates": .collection])
    static let listenerCertificate = KnownKeys("listen[].tls.certificates[]", ["certificate", "private_key"])
    static let decisions = KnownKeys(
        "decisions",
        ["address", "trust", "tls", "protocols", "connections", "identity", "response_size", "introspection"],
        empty: ["introspection": .null, "trust": .collection])
    static let introspection = KnownKeys("decisions.introspection", ["clients", "requests_per_second"])
    static let introspectionClient = KnownKeys("decisions.introspection.clients[]", ["id", "secret", "certificate"])
    static let introspectionCertificate = KnownKeys("decisions.introspection.clients[].certificate", ["dns", "uri"])
    static let limits = KnownKeys(
        "limits",
        [
            "connections", "connections_per_address", "head_size", "head_fields", "body_size", "head_timeout",
            "idle_timeout", "body_rate", "request_timeout", "handshake_timeout", "max_stream", "stream_grace",
            "stream_idle_timeout", "http2",
        ], empty: ["body_size": .null, "request_timeout": .null])
    static let http2Limits = KnownKeys(
        "limits.http2",
        [
            "streams", "stream_window", "connection_window", "resets", "control_frames", "max_connection_age",
            "ping_interval", "ping_timeout",
        ], empty: ["max_connection_age": .null, "ping_interval": .null])
    static let drain = KnownKeys("drain", ["delay", "timeout"])
    static let reload = KnownKeys("reload", ["watch"], empty: ["watch": .null])
    static let admin = KnownKeys(
        "admin", ["address", "token", "viewer_token", "console", "public_url"],
        empty: ["address": .null, "token": .null, "viewer_token": .null])
    static let console = KnownKeys("admin.console", ["sign_in"])
    static let consoleSignIn = KnownKeys(
        "admin.console.sign_in", ["provider", "public_url", "operators", "viewers", "operator_if", "viewer_if"],
        empty: ["operators": .collection, "viewers": .collection])
    static let identity = KnownKeys(
        "identity", ["clock_skew", "firebase", "providers", "keys", "credentials"],
        empty: ["firebase": .null])
    static let firebase = KnownKeys(
        "identity.firebase",
        [
            "project", "tenant", "projects", "keys_url", "session_keys_url", "insecure_http", "insecure_emulator",
            "insecure_emulator_on", "app_check", "auth_helper", "hosts",
        ],
        empty: ["app_check": .null, "tenant": .null])
    static let firebaseProject = KnownKeys(
        "identity.firebase.projects[]", ["project", "tenant", "service_account"], empty: ["tenant": .null])
    static let firebaseHost = KnownKeys("identity.firebase.hosts.*", ["project", "tenant"])
    static let appCheck = KnownKeys(
        "identity.firebase.app_check",
        [
            "project_number", "apps", "keys_url", "api_key", "forward_token", "consume_url", "consume_timeout",
            "service_account",
        ],
        empty: ["api_key": .null])
    static let keys = KnownKeys(
        "identity.keys", ["min_ttl", "max_ttl", "refresh_at", "stale_for", "unknown_key_cooldown"])
    static let credentials = KnownKeys(
        "identity.credentials", ["header", "cookie", "previous_cookies"], empty: ["header": .null, "cookie": .null])
    static let store = KnownKeys(
        "store",
        [
            "url", "username", "password", "password_file", "password_command", "password_refresh", "credentials", "ca",
            "certificate", "private_key", "sentinel_username", "sentinel_password", "on_lost_store", "view_file",
        ])
    static let storeCredentials = KnownKeys(
        "store.credentials", ["aws_iam", "google_iam", "azure_entra"],
        empty: ["google_iam": .collection, "azure_entra": .collection])
    static let awsIAM = KnownKeys("store.credentials.aws_iam", ["cache", "cluster", "serverless", "region"])
    static let googleIAM = KnownKeys("store.credentials.google_iam", ["service_account"])
    static let azureEntra = KnownKeys("store.credentials.azure_entra", ["client_id"])
    static let revocation = KnownKeys(
        "revocation",
        ["max_staleness", "strict_timeout", "source", "service_account", "lookup_url", "lookup_timeout", "write_back"])
    static let writeBack = KnownKeys(
        "revocation.write_back", ["identity_toolkit", "queue", "realtime_database", "update_url"])
    static let accounts = KnownKeys(
        "accounts",
        [
            "issuer", "session_key", "previous_session_keys", "firebase_users", "session_cookie", "session_cookie_url",
            "service_account", "session_same_site", "session_lifetime", "session_idle", "origins", "public_url",
            "return_to", "apps",
            "one_account_per_email", "unlinked",
            "hide_account_existence", "calls_per_address", "calls_per_account", "pages", "page",
            "transmitters", "token_keys", "webhook",
        ], empty: ["session_idle": .null])
    static let accountsPage = KnownKeys("accounts.page", ["title", "css", "logo", "translations"])
    static let headers = KnownKeys(
        "headers", ["prefix", "variable", "forward_credential", "assertion", "extra", "remove_inbound"],
        empty: ["assertion": .null])
    static let assertion = KnownKeys("headers.assertion", ["key", "previous_keys", "lifetime", "issuer"])
    static let upstream = KnownKeys(
        "upstreams.*",
        [
            "servers", "tls", "balance", "hash_on", "connect_timeout", "response_timeout", "connections", "pending",
            "resolve_every", "health", "ejection", "slow_start", "retry", "protocol", "http2",
        ], empty: ["ejection": .null, "health": [.null, .collection], "retry": .null])
    static let upstreamServer = KnownKeys("upstreams.*.servers[]", ["url", "weight"])
    static let upstreamTLS = KnownKeys("upstreams.*.tls", ["ca", "server_name", "certificate", "private_key"])
    static let upstreamHTTP2 = KnownKeys(
        "upstreams.*.http2",
        [
            "streams_per_connection", "stream_window", "connection_window", "connection_age", "ping_interval",
            "ping_timeout",
        ], empty: ["ping_interval": .null])
    static let upstreamHealth = KnownKeys(
        "upstreams.*.health", ["path", "interval", "timeout", "healthy", "unhealthy", "status", "host", "grpc"])
    static let upstreamEjection = KnownKeys("upstreams.*.ejection", ["failures", "time", "max_time", "max_share"])
    static let upstreamRetry = KnownKeys(
        "upstreams.*.retry", ["conditions", "attempts", "budget"], aliases: ["on": "conditions"])
    static let route = KnownKeys(
        "routes[]",
        [
            "path", "host", "methods", "auth", "project", "tenant", "providers", "recent_sign_in", "second_factor",
            "scopes", "allow",
            "revocation", "on_store_failure", "upstream", "strip_prefix", "response_timeout", "body_size",
            "merge_slashes", "encoded_slashes", "case_insensitive", "insecure_no_csrf", "cors", "rate_limit",
            "response_headers", "rewrite", "upgrade", "token_query", "token_protocol", "max_stream", "stream_grace",
            "stream_idle_timeout", "app_check", "apps", "app_check_consume",
        ], empty: ["cors": .null, "response_headers": .null, "rewrite": .null])
    static let recentSignIn = KnownKeys("routes[].recent_sign_in", ["max_age", "proof"])
    static let cors = KnownKeys(
        "routes[].cors", ["origins", "methods", "headers", "expose", "credentials", "max_age"],
        empty: ["expose": .collection])
    static let rateLimit = KnownKeys("routes[].rate_limit[]", ["per", "requests", "every", "burst", "scope"])
    static let responseHeaders = KnownKeys("response_headers", ["set", "remove"])
    static let rewrite = KnownKeys("routes[].rewrite", ["path", "host"], empty: ["path": .null, "host": .null])
    static let log = KnownKeys("log", ["level", "format", "access"])
    static let telemetry = KnownKeys(
        "telemetry",
        ["endpoint", "headers", "timeout", "service_name", "resource_attributes", "traces", "metrics"],
        empty: ["metrics": .null, "traces": .null])
    static let telemetryTraces = KnownKeys(
        "telemetry.traces", ["sampler", "ratio", "enduser_id", "queue", "batch", "interval"])
    static let telemetryMetrics = KnownKeys("telemetry.metrics", ["interval"])

    /// All mappings with fixed keys.
    static let all =
        [
            root, trustedProxy, listener, listenerTLS, listenerCertificate, decisions, introspection,
            introspectionClient, introspectionCertificate, limits, http2Limits, drain, reload, admin, console,
            consoleSignIn, identity, firebase, firebaseProject, firebaseHost, appCheck, secondFactor, keys, credentials,
            store, storeCredentials, awsIAM, googleIAM, azureEntra, revocation, writeBack, accounts, accountsPage,
            transmitter, poll, webhook, headers, assertion, upstream, upstreamServer, upstreamTLS, upstreamHTTP2,
            upstreamHealth, upstreamEjection, upstreamRetry, route, recentSignIn, cors, rateLimit, responseHeaders,
            rewrite, log, telemetry, telemetryTraces, telemetryMetrics,
        ] + Configuration.Provider.Kind.allCases.map(\.keys)
}
