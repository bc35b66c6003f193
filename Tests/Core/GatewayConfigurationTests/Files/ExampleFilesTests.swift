import Foundation
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

enum ExampleFiles {
    private static let directory = Repository.configurations

    static func paths(withExtension suffix: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(".\(suffix)") }.map { directory.appending(path: $0).path }
    }
}

@Suite struct ExampleFilesTests {
    @Test(arguments: try ExampleFiles.paths(withExtension: "yaml"))
    func load(_ file: String) throws {
        let configuration = try Configuration.load(file: file, environment: [:])
        #expect(configuration.warnings.isEmpty)
    }

    @Test func theReferenceShowsTheDefaults() throws {
        let file = Repository.configurations.appending(path: "reference.yaml").path
        let reference = try Configuration.load(file: file, environment: [:])
        var expected = Configuration()
        expected.identity.firebase = .init(project: "my-app")
        expected.headers.extra = reference.headers.extra
        expected.responseHeaders = reference.responseHeaders
        expected.upstreams = [.init(name: "api", servers: [.init(host: "127.0.0.1", port: 3000)])]
        expected.routes = reference.routes
        #expect(reference == expected)
    }

    /// The reference with the comments below a key in its place.
    private func reference(with keys: [String: String]) throws -> Configuration {
        let file = Repository.configurations.appending(path: "reference.yaml").path
        var lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
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
        return try ConfigurationTesting.load(lines.joined(separator: "\n"))
    }

    @Test func theReferenceShowsEveryProvider() throws {
        let configuration = try reference(with: ["providers": ""])
        let providers = configuration.identity.providers
        #expect(Set(providers.map(\.kind)) == Set(Configuration.Provider.Kind.allCases))
        let opaque = try #require(providers.first { $0.kind == .facebook }?.opaqueTokens)
        #expect(opaque == .init(url: opaque.url, clientID: "1234567890", clientSecret: Secret("example")))
    }

    @Test func theReferenceShowsTheAssertion() throws {
        var expected = Configuration.Assertion(key: "assertion.pem")
        expected.previousKeys = ["assertion-old.pem"]
        var assertion = try reference(with: ["assertion": "null"]).headers.assertion
        assertion?.location = expected.location
        #expect(assertion == expected)
    }

    @Test func theReferenceShowsAccountsWithTheirDefaults() throws {
        let file = Repository.configurations.appending(path: "reference.yaml").path
        var lines = try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n").map(String.init)
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
        expected.location = accounts.location
        #expect(accounts == expected)
    }

    @Test func theReferenceShowsFirebasesAccountRecords() throws {
        let revocation = try reference(with: ["source": "store"]).revocation
        #expect(revocation.firebase == .init(serviceAccount: "service-account.json"))
    }

    @Test func theExampleTakesProjectAndServiceFromTheEnvironment() throws {
        let file = Repository.configurations.appending(path: "gatehouse.yaml").path
        let configuration = try Configuration.load(
            file: file, environment: ["FIREBASE_PROJECT": "my-app", "UPSTREAM": "http://backend:80"])
        #expect(configuration.identity.firebase?.project == "my-app")
        #expect(configuration.upstreams[0].servers.map(\.description) == ["http://backend:80"])
    }
}
