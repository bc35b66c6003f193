import GatewayConfiguration
import GatewayCore
import Testing

/// A configuration with errors, and the expected report of each error.
struct BrokenConfiguration: CustomTestStringConvertible, Sendable {
    let yaml: String
    /// Each is `LINE:COLUMN TEXT`: the exact position, and a part of the message.
    let expected: [String]
    var environment: [String: String] = [:]
    /// Values with the same error. Each one replaces "…" in `yaml`.
    var values: [String] = []

    /// Creates a case with a complete file.
    static func file(_ yaml: String, _ expected: String..., environment: [String: String] = [:]) -> Self {
        Self(yaml: yaml, expected: expected, environment: environment)
    }

    /// Creates a case with sections before a valid upstream and a valid route.
    static func section(
        _ yaml: String, _ expected: String..., environment: [String: String] = [:], values: [String] = []
    ) -> Self {
        Self(yaml: yaml + "\n" + Self.rest, expected: expected, environment: environment, values: values)
    }

    /// Creates a case with the keys of one route. Each key has its own line from line 5 and column 5. The rest is
    /// valid.
    static func route(_ lines: String, _ expected: String..., values: [String] = []) -> Self {
        let indented = lines.split(separator: "\n").map { "    \($0)" }.joined(separator: "\n")
        return Self(yaml: Self.beforeRoute + indented + "\n", expected: expected, values: values)
    }

    static let rest = """
        upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
        routes: [{ path: /, auth: none, upstream: api }]

        """
    static let beforeRoute = """
        identity: { firebase: { project: demo } }
        upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
        routes:
          - upstream: api

        """

    var testDescription: String { String(yaml.replacing("\n", with: " | ").prefix(70)) }

    /// Loads the configuration with each value and compares the reported errors.
    func check(sourceLocation: Testing.SourceLocation = #_sourceLocation) {
        guard !values.isEmpty else { return check(yaml, sourceLocation) }
        for value in values { check(yaml.replacing("…", with: value), sourceLocation) }
    }

    private func check(_ yaml: String, _ sourceLocation: Testing.SourceLocation) {
        let errors = ConfigurationTesting.errors(in: yaml, environment: environment)
        let comment = Comment(rawValue: errors.map(\.description).joined(separator: "\n"))
        #expect(errors.count == expected.count, comment, sourceLocation: sourceLocation)
        for (error, expectation) in zip(errors, expected) {
            let parts = expectation.split(separator: " ", maxSplits: 1)
            #expect(
                "\(error.location.line):\(error.location.column)" == parts[0], comment, sourceLocation: sourceLocation)
            #expect("\(error.what); \(error.remedy)".contains(parts[1]), comment, sourceLocation: sourceLocation)
        }
    }
}

/// Functions that load a configuration from a text.
enum ConfigurationTesting {
    static func load(_ yaml: String, environment: [String: String] = [:]) throws(ConfigurationErrors) -> Configuration {
        try Configuration.load(bytes: Array(yaml.utf8), file: "gatehouse.yaml", environment: environment)
    }

    /// Loads sections before a valid upstream and a valid route.
    static func load(section: String, environment: [String: String] = [:]) throws -> Configuration {
        try load(section + "\n" + BrokenConfiguration.rest, environment: environment)
    }

    static func errors(in yaml: String, environment: [String: String] = [:]) -> [ConfigurationError] {
        errors(inBytes: Array(yaml.utf8), environment: environment)
    }

    static func errors(inBytes bytes: [UInt8], environment: [String: String] = [:]) -> [ConfigurationError] {
        do {
            _ = try Configuration.load(bytes: bytes, file: "gatehouse.yaml", environment: environment)
            return []
        } catch {
            return error.errors
        }
    }
}
