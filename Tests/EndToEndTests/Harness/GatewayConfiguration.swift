@testable import SystemFixtures

/// A configuration as parts of YAML, with the defaults of most tests.
struct GatewayConfiguration: Sendable {
    static let adminToken = "e2e-admin-token-0123456789"

    /// Top-level keys and their values in the flow style of YAML.
    var sections: [(key: String, value: String)] = []
    /// The mapping of each route, without braces.
    var routes: [String] = []
    var environment: [String: String] = [:]
    /// Additional files in the gateway's folder, by name.
    var files: [String: String] = [:]
    /// The limit of file descriptors of the process. `nil` for the limit of the tests.
    var descriptorLimit: Int?
    /// A program that runs the gateway, with its arguments.
    var launcher: [String] = []

    /// Whether the standard input of the process is a terminal.
    var hasTerminal = false
    /// Whether the standard output of the process is not read.
    var hasUnreadOutput = false
    /// Whether the standard error of the process is not read after the start.
    var hasUnreadErrors = false

    init(keysURL: String, sessionKeysURL: String, upstream: String) {
        self["listen"] = "[{ address: 127.0.0.1:0 }]"
        self["workers"] = "2"
        self["admin"] = "{ address: 127.0.0.1:0, token: \(Self.adminToken) }"
        self["identity"] = Self.identity(keysURL, sessionKeysURL)
        self["store"] = "sqlite:gatehouse.db"
        self["headers"] = "{ extra: { X-Role: token.role } }"
        self["drain"] = "{ delay: 0s, timeout: 5s }"
        self["upstreams"] = """
            { api: { servers: ['\(upstream)'], connect_timeout: \(2 * Allowance.factor)s },
              down: { servers: ['http://127.0.0.1:1'] },
              hasty: { servers: ['\(upstream)'], response_timeout: 300ms } }
            """
        routes = Self.usualRoutes
    }

    /// The value of a section. `nil` removes the section.
    subscript(_ key: String) -> String? {
        get { sections.first { $0.key == key }?.value }
        set {
            sections.removeAll { $0.key == key }
            if let newValue { sections.append((key, newValue)) }
        }
    }

    var text: String {
        let head = sections.map { "\($0.key): \($0.value)\n" }.joined()
        return head + "routes:\n" + routes.map { "  - { \($0) }\n" }.joined()
    }

    /// The identity section.
    ///
    /// - Parameter keys: The value of `identity.keys`, in flow style.
    static func identity(_ keysURL: String, _ sessionKeysURL: String, keys: String = "{ stale_for: 24h }") -> String {
        """
        { firebase: { project: demo-gatehouse, keys_url: '\(keysURL)', session_keys_url: '\(sessionKeysURL)' },
          keys: \(keys) }
        """
    }

    private static let usualRoutes = [
        "path: /public/**, auth: none, upstream: api",
        "path: /optional/**, auth: optional, upstream: api",
        "path: /apple/**, providers: [apple.com], upstream: api",
        "path: /second/**, second_factor: required, upstream: api",
        "path: /recent/**, recent_sign_in: 5m, upstream: api",
        "path: /strict/**, revocation: strict, upstream: api",
        "path: /unrevocable/**, revocation: 'off', upstream: api",
        "path: /admin/**, providers: [saml.corp], upstream: api",
        "path: /methods, methods: [GET, PUT], upstream: api",
        "path: /down/**, auth: none, upstream: down",
        "path: /hasty/**, auth: none, upstream: hasty",
        "path: /small/**, auth: none, body_size: 1KiB, upstream: api",
        "path: /stripped/**, auth: none, strip_prefix: /stripped, upstream: api",
        "path: /me/**, upstream: api",
    ]
}
