import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Diagnostics
@testable import GatewayConfiguration
@testable import SystemFixtures

/// Every key of every mapping with every empty value. Each is an error at its location, or documented.
@Suite struct EmptyValueTests {
    /// A way to write a key without a value.
    struct Variant {
        /// The text after `KEY:`.
        let text: String
        /// A part of the message.
        let expected: String
        /// The location of the error: the key, the value, or any column of the line.
        let place: Place

        enum Place { case key, value, line }
    }

    private static func variants(_ texts: [String], _ expected: String, at place: Variant.Place) -> [Variant] {
        texts.map { Variant(text: $0, expected: expected, place: place) }
    }

    private static let written =
        variants(["", " # a: 1"], "is empty", at: .key)
        + variants([" \"\"", " ''", " \"  \"", " |"], "is empty", at: .value)
        + variants([" null", " ~", " Null", " NULL"], "is null", at: .value)
        + variants([" []", " {}"], "", at: .value)
        + variants([" [\"\"]", " [null]", " { a: }", " { \"\": a }"], "", at: .line)

    private static let substituted =
        variants([" ${EMPTY}", " a${EMPTY}"], "the environment variable EMPTY is empty", at: .value)
        + variants([" ${EMPTY:-}", " ${BLANK}"], "is empty after substitution", at: .value)
        + variants([" ${file:empty}"], "the file 'empty' is empty", at: .value)
        + variants([" ${EMPTY:-null}"], "is null", at: .value)
        + variants(
            [" [\"${EMPTY}\"]", " [\"${EMPTY:-}\"]", " [\"${EMPTY:-null}\"]", " { \"${EMPTY}\": a }"], "", at: .line)

    /// The only keys that may be empty, and their empty values. The configuration reference or docs/guides/rules.md
    /// documents each.
    private static let documented: [String: [String]] = [
        "accounts": ["null", "{}"], "workers": ["null"], "trusted_proxies": ["[]"],
        "listen[].tls.certificates": ["[]"], "limits.body_size": ["null"], "limits.request_timeout": ["null"],
        "reload.watch": ["null"], "admin.address": ["null"], "admin.token": ["null"],
        "admin.viewer_token": ["null"], "admin.console.sign_in.operators": ["[]"],
        "admin.console.sign_in.viewers": ["[]"], "accounts.session_idle": ["null"], "identity.firebase": ["null"],
        "identity.firebase.tenant": ["null"], "identity.firebase.projects[].tenant": ["null"],
        "identity.credentials.header": ["null"],
        "identity.credentials.cookie": ["null"], "headers.assertion": ["null"],
        "upstreams.*.health": ["null", "{}"], "upstreams.*.ejection": ["null"], "upstreams.*.retry": ["null"],
        "routes[].cors": ["null"], "routes[].cors.expose": ["[]"], "routes[].response_headers": ["null"],
        "routes[].rewrite": ["null"], "routes[].rewrite.path": ["null"], "routes[].rewrite.host": ["null"],
        "limits.http2.max_connection_age": ["null"], "limits.http2.ping_interval": ["null"],
        "upstreams.*.http2.ping_interval": ["null"],
        "decisions": ["null"], "decisions.trust": ["[]"], "decisions.introspection": ["null"],
        "telemetry": ["null"], "telemetry.traces": ["null"], "telemetry.metrics": ["null"],
        "tests[].auth": ["null"], "tests[].request.app": ["null"], "identity.firebase.app_check": ["null"],
        "identity.firebase.app_check.api_key": ["null"],
        "store.credentials.google_iam": ["{}"], "store.credentials.azure_entra": ["{}"],
        // Claims are data, and JSON permits empty names.
        "users.*.token": ["{ \"\": a }"],
    ]

    private static func isDocumented(_ name: String, _ variant: Variant) -> Bool {
        let values = documented[name] ?? []
        let isNull = [" null", " ~", " Null", " NULL", " ${EMPTY:-null}"].contains(variant.text)
        return values.contains(String(variant.text.dropFirst())) || isNull && values.contains("null")
    }

    /// Mappings whose keys are names, with one name.
    private static let named = [
        ("upstreams", "api"), ("identity.providers", "apple.com"), ("identity.providers", "oidc.corp"),
        ("headers.extra", "X-Role"), ("response_headers.set", "X-Frame-Options"),
        ("telemetry.headers", "Authorization"), ("telemetry.resource_attributes", "region"),
    ]

    @Test func `no key of a configuration is silently empty`() throws {
        let places = KnownKeys.all.flatMap { known in known.supported.map { (known.path, $0) } } + Self.named
        try walk(places, Self.written + Self.substituted) { yaml in
            do throws(ConfigurationErrors) {
                _ = try Configuration.load(
                    bytes: Array(yaml.utf8), file: "gatehouse.yaml", environment: ["EMPTY": "", "BLANK": " "],
                    files: ["empty": [0x0A]])
                return []
            } catch {
                return error.errors
            }
        }
    }

    @Test func `no key of a test file is silently empty`() throws {
        let places = KnownKeys.ofRuleTests.flatMap { known in known.supported.map { (known.path, $0) } }
        try walk(places + [("users", "ann")], Self.written) { yaml in
            do throws(ConfigurationErrors) {
                _ = try RuleTestFile.load(bytes: Array(yaml.utf8), file: "a.test.yaml", files: ["a.rules": []])
                return []
            } catch {
                return error.errors
            }
        }
    }

    static let lifted: [BrokenConfiguration] = [
        .section(
            """
            identity:
              providers:
                google.com:
                  audiences: [app]
                  hosted_domain: ${WORKSPACE_DOMAIN}
            """, "5:22 the environment variable WORKSPACE_DOMAIN is empty; set it, or write",
            environment: ["WORKSPACE_DOMAIN": ""]),
        .section(
            """
            identity:
              providers:
                google.com:
                  audiences: [app]
                  authorized_parties: ["${APP:-}"]
            """, "5:28 authorized_parties[] is empty after substitution"),
        .section("identity:\n  firebase:\n    project: demo\n    tenant:", "4:5 identity.firebase.tenant is empty"),
        .section("store: ${REDIS_URL:-}", "1:8 store is empty after substitution"),
        .section("listen:\n  - address: a:1\n    tls:\n      # certificate: a", "3:5 listen[].tls is empty"),
        .route("path: /\nhost: ${ADMIN_HOST:-}", "6:11 routes[].host is empty after substitution"),
        .route("path: /\nhost: [a.example, '${ADMIN_HOST:-}']", "6:23 routes[].host[] is empty after substitution"),
        .route("path: /\nmethods:", "6:5 routes[].methods is empty"),
        .route("path: /\nmethods: []", "6:14 routes[].methods is an empty list"),
        .route("path: /\nrevocation: # strict", "6:5 routes[].revocation is empty"),
        .route("path: /\nrevocation: null", "6:17 routes[].revocation is null; write a value, or remove it"),
    ]

    @Test(arguments: lifted) func `no restriction is lifted by an empty value`(_ broken: BrokenConfiguration) {
        broken.check()
    }

    private func walk(
        _ places: [(path: String, key: String)], _ variants: [Variant], _ errors: (String) -> [ConfigurationError]
    ) throws {
        var silent: [String] = []
        var accepted = 0
        var tried = 0
        for (number, (path, key)) in places.enumerated() {
            for (index, variant) in variants.enumerated() {
                let name = path.isEmpty ? key : "\(path).\(key)"
                let isDocumented = Self.isDocumented(name, variant)
                // Each key has another quarter of the variants than the next key.
                guard isDocumented || (number + index).isMultiple(of: 4) || Thoroughness.isFull else { continue }
                tried += 1
                let file = try #require(KeyFile(path: path, key: key, value: variant.text))
                let found = errors(file.text).filter { file.holds($0, variant) }
                if isDocumented { accepted += 1 }
                if found.isEmpty != isDocumented { silent.append("\(name):\(variant.text)") }
            }
        }
        print("\(places.count) keys, \(tried) empty values: \(accepted) documented, \(silent.count) silent")
        #expect(silent.isEmpty, "\(silent.joined(separator: "\n"))")
    }
}

/// A file with only one key, at one path.
private struct KeyFile {
    let text: String
    private let line: Int
    private let keyColumn: Int
    private let valueColumn: Int

    /// `nil` if the path has no components that can be written.
    init?(path: String, key: String, value: String) {
        var lines: [String] = []
        var indentation = ""
        var parent = ""
        for part in Self.components(of: path) {
            lines += Self.siblings[parent, default: []].map { indentation + $0 }
            parent += parent.isEmpty ? part : ".\(part)"
            let isList = part.hasSuffix("[]")
            lines.append("\(indentation)\(isList ? String(part.dropLast(2)) : part):")
            indentation += "  "
            if isList {
                lines.append("\(indentation)-")
                indentation += "  "
            }
        }
        // A test file has either a rules file or both other keys.
        let siblings = key == "rules" ? [] : Self.siblings[parent, default: []]
        lines += siblings.filter { !$0.hasPrefix("\(key):") }.map { indentation + $0 }
        lines.append("\(indentation)\(key):\(value)")
        text = lines.joined(separator: "\n") + "\n"
        line = lines.count
        keyColumn = indentation.count + 1
        valueColumn = keyColumn + key.count + 2
    }

    /// Keys that are required so that the other keys of their mapping are read.
    private static let siblings = [
        "": ["path: /", "allow: 'true'"],
        "trusted_proxies[]": ["network: 10.0.0.0/8"], "listen[]": ["address: 127.0.0.1:0"],
        "listen[].tls": ["certificate: c", "private_key: k"],
        "listen[].tls.certificates[]": ["certificate: c", "private_key: k"],
        "decisions": ["address: 127.0.0.1:0", "trust: [127.0.0.1/32]"],
        "decisions.introspection.clients[]": ["id: a", "secret: b"],
        "upstreams.test.servers[]": ["url: http://a"], "store": ["url: rediss+sentinel://h/n"],
        "routes[].rate_limit[]": ["per: uid", "requests: 1", "every: 1s"], "revocation": ["source: firebase"],
        "routes[].recent_sign_in": ["max_age: 5m"], "identity.firebase": ["project: demo"],
        "identity.providers.facebook.com": ["app_id: a", "app_secret: b"],
        "identity.providers.apple.com": ["client_id: a", "team_id: b", "key_id: c", "private_key: d"],
    ].merging(
        // The keys of the authorization-code flow are read only with its client.
        ["google.com", "microsoft.com", "yahoo.com", "linkedin.com", "oidc.test"].map {
            ("identity.providers.\($0)", ["client_id: a", "client_secret: b"])
        }, uniquingKeysWith: { first, _ in first })

    /// The keys of the path to a mapping. IDs of providers have dots, and `*` is any name.
    private static func components(of path: String) -> [String] {
        let prefix = "identity.providers."
        guard path.hasPrefix(prefix) else { return path.split(separator: ".").map { $0 == "*" ? "test" : String($0) } }
        let id = path.dropFirst(prefix.count)
        let entry: [String] =
            id.hasPrefix("*.") ? ["oidc.test", String(id.dropFirst(2))] : [String(id).replacing("*", with: "test")]
        return ["identity", "providers"] + entry
    }

    func holds(_ error: ConfigurationError, _ variant: EmptyValueTests.Variant) -> Bool {
        guard error.location.line == line, error.what.contains(variant.expected) else { return false }
        switch variant.place {
        case .key: return error.location.column == keyColumn
        case .value: return error.location.column == valueColumn
        case .line: return error.location.column > keyColumn
        }
    }
}
