import Foundation
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

@Suite struct ExampleFilesTests {
    private static func path(_ name: String) -> String { Repository.configurations.appending(path: name).path }
    private static let reference = path("reference.yaml")

    private static func referenceLines() throws -> [String] {
        try String(contentsOfFile: reference, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(arguments: try FileManager.default.contentsOfDirectory(atPath: Repository.configurations.path))
    func `every example file loads without warnings`(name: String) throws {
        guard name.hasSuffix(".yaml") else { return }
        let configuration = try Configuration.load(file: Self.path(name), environment: [:])
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `the reference shows the defaults`() throws {
        // The file is loaded from memory, so that the path of the store stays as in the text.
        let reference = try ConfigurationTesting.load(try Self.referenceLines().joined(separator: "\n"))
        var expected = Configuration()
        expected.identity.firebase = .init(project: "my-app")
        expected.headers.extra = reference.headers.extra
        expected.responseHeaders = reference.responseHeaders
        expected.upstreams = [.init(name: "api", servers: [.init(host: "127.0.0.1", port: 3000)])]
        expected.routes = reference.routes
        expected.digest = reference.digest
        #expect(reference == expected)
    }

    /// The reference in which the commented value of each key replaces its value.
    private func reference(with keys: [String: String]) throws -> Configuration {
        var lines = try Self.referenceLines()
        for (key, value) in keys {
            let start = try #require(
                lines.firstIndex { $0.hasPrefix("  \(key): \(value)") || $0.hasPrefix("  # \(key):\(value) ") })
            lines[start] =
                value.isEmpty || value == "null" ? "  \(key):" : lines[start].replacing(value, with: "firebase")
            for index in lines[(start + 1)...].indices.prefix(while: { lines[$0].hasPrefix("  # ") }) {
                lines[index] = lines[index].replacing(
                    "# ", with: value.isEmpty || value == "null" ? "  " : "", maxReplacements: 1)
            }
        }
        // The flows of providers need a public URL.
        let text = lines.joined(separator: "\n").replacing(
            "\naccounts: null", with: "\naccounts: { public_url: https://api.example.com }")
        return try ConfigurationTesting.load(text)
    }

    @Test func `the reference shows every provider`() throws {
        let configuration = try reference(with: ["providers": ""])
        let providers = configuration.identity.providers
        #expect(Set(providers.map(\.kind)) == Set(Configuration.Provider.Kind.allCases))
        let opaque = try #require(providers.first { $0.kind == .facebook }?.opaqueTokens)
        #expect(opaque == .init(url: opaque.url, clientID: "1234567890", clientSecret: Secret("example")))
    }

    @Test func `the reference shows the assertion`() throws {
        var expected = Configuration.Assertion(key: "assertion.pem")
        expected.previousKeys = ["assertion-old.pem"]
        var assertion = try reference(with: ["assertion": "null"]).headers.assertion
        assertion?.location = expected.location
        #expect(assertion == expected)
    }

    @Test func `the reference shows accounts with their defaults`() throws {
        var lines = try Self.referenceLines()
        let start = try #require(lines.firstIndex(of: "# accounts:"))
        lines.removeAll { $0 == "accounts: null" }
        for index in lines[(start - 1)...].indices.prefix(while: {
            lines[$0] == "# accounts:" || lines[$0].hasPrefix("#   ")
        }) {
            lines[index] = String(lines[index].dropFirst(2))
        }
        let accounts = try #require(try ConfigurationTesting.load(lines.joined(separator: "\n")).accounts)
        var expected = Configuration.Accounts()
        (expected.issuer, expected.sessionKey) = ("https://api.example.com", "session.pem")
        expected.previousSessionKeys = ["session-old.pem"]
        expected.origins = ["https://app.example.com"]
        (expected.publicURL, expected.returnTo) = ("https://api.example.com", ["https://app.example.com"])
        expected.apps = [try Configuration.AppURL(parsing: "com.example.app:/callback")]
        expected.location = accounts.location
        #expect(accounts == expected)
    }

    @Test func `the reference shows telemetry with its defaults`() throws {
        var lines = try Self.referenceLines()
        let start = try #require(lines.firstIndex(of: "# telemetry:"))
        lines.removeAll { $0 == "telemetry: null" }
        for index in (start - 1)..<lines.count { lines[index] = String(lines[index].dropFirst(2)) }
        let text = lines.joined(separator: "\n")
        let telemetry = try ConfigurationTesting.load(text, environment: ["OTLP_KEY": "example"]).telemetry
        var expected = Configuration.Telemetry(endpoint: "http://127.0.0.1:4318")
        expected.headers = [.init(name: "X-Api-Key", value: Secret("example"))]
        expected.resourceAttributes = [.init(name: "deployment.environment.name", value: "production")]
        #expect(telemetry == expected)
    }

    @Test func `the reference shows the Firebase account records`() throws {
        let revocation = try reference(with: ["source": "store"]).revocation
        #expect(revocation.firebase == .init(serviceAccount: "service-account.json"))
    }

    @Test func `the example reads project and service from the environment`() throws {
        let environment = ["FIREBASE_PROJECT": "my-app", "UPSTREAM": "http://backend:80"]
        let configuration = try Configuration.load(file: Self.path("gatehouse.yaml"), environment: environment)
        #expect(configuration.identity.firebase?.project == "my-app")
        #expect(configuration.upstreams[0].servers.map(\.description) == ["http://backend:80"])
    }
}
