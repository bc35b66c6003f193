import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct AssertionSectionTests {
    static let broken: [BrokenConfiguration] = [
        .section("headers: { assertion: key.pem }", "1:23 headers.assertion is not a mapping"),
        .section("headers: { assertion: {} }", "1:23 headers.assertion is an empty mapping"),
        assertion("keys: b", "1:37 unknown key 'keys' in headers.assertion"),
        assertion("lifetime: 9s", "1:47 out of range; write 10s to 1h"),
        assertion("lifetime: 61m", "1:47 out of range; write 10s to 1h"), assertion("issuer: ''", "1:45 is empty"),
        assertion("issuer: \(String(repeating: "i", count: 1_025))", "1:45 is longer than 1024 bytes"),
        assertion("previous_keys: [b, b]", "1:56 has an entry twice"),
        assertion("previous_keys: a.pem", "1:52 previous_keys is the key that signs; remove it here"),
        assertion("previous_keys: [b, c, d, e, f, g, h, i, j]", "1:52 has more than 8 files; remove the oldest"),
    ]

    private static func assertion(_ line: String, _ expected: String) -> BrokenConfiguration {
        .section("headers: { assertion: { key: a.pem, \(line) } }", expected)
    }

    @Test(arguments: broken) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }

    @Test func isRead() throws {
        let yaml =
            "headers: { assertion: { key: a.pem, previous_keys: b.pem, lifetime: 5m, issuer: 'https://api.example' } }"
        var expected = Configuration.Assertion(key: "a.pem")
        expected.previousKeys = ["b.pem"]
        expected.lifetime = .seconds(300)
        expected.issuer = "https://api.example"
        expected.location = SourceLocation(file: "gatehouse.yaml", line: 1, column: 25)
        #expect(try ConfigurationTesting.load(section: yaml).headers.assertion == expected)
    }
}
