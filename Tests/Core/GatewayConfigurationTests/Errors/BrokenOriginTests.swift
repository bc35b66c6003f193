import GatewayConfiguration
import Testing

@testable import CoreFixtures

@Suite struct BrokenOriginTests {
    static let cases: [BrokenConfiguration] = [
        origin("app.example", "is no origin; write https://HOST, or https://HOST:PORT"),
        origin("'*'", "is an origin with a wildcard"),
        origin("'https://*.app.example'", "is an origin with a wildcard"),
        origin("'null'", "is null, which any page can send; remove it"),
        origin("null", "accounts.origins[] is null; write a value, or remove it"),
        origin("NULL", "accounts.origins[] is null; write a value, or remove it"),
        origin("ftp://app.example", "is a URL of another scheme than http and https"),
        origin("capacitor://localhost", "is a URL of another scheme than http and https"),
        origin("https://", "is an address without a host"),
        origin("https://ada@app.example", "is an address with a user or password"),
        origin("https://app.example:0", "is a URL with port 0"),
        origin("https://app.example:65536", "is an address with a bad port"),
        origin("'https://app.example:'", "is an address with a bad port"),
        origin("'https://app example'", "is an address with a bad host"),
        origin("https://bücher.example", "is an address with a bad host"),
        origin("https://app.example.", "is an address with a bad host"),
        origin("https://app.example/", "is 'https://app.example/', not as browsers send it; write https://app.example"),
        origin("https://app.example/a?b", "not as browsers send it; write https://app.example"),
        origin("https://app.example:443", "not as browsers send it; write https://app.example"),
        origin("http://localhost:80", "not as browsers send it; write http://localhost"),
        origin("HTTPS://app.example", "not as browsers send it; write https://app.example"),
        origin("https://App.example:8443", "not as browsers send it; write https://app.example:8443"),
        origin("'https://[::1]:443'", "not as browsers send it; write https://[::1]"),
        .section(Self.start + "[https://a.example, https://a.example]", "4:24 accounts.origins has an entry twice"),
        .section(
            Self.start + "[\((0..<65).map { "https://a\($0)" }.joined(separator: ","))]", "4:4 more than 64 origins"),
        .section(
            Self.start + "['${ORIGIN}']", "4:5 is '${ORIGIN}', not as browsers send it; write scheme and host in lower",
            environment: ["ORIGIN": "https://app.example/"]),
    ]

    private static let start = "identity: { firebase: { project: demo } }\naccounts:\n  origins:\n   "

    private static func origin(_ text: String, _ expected: String) -> BrokenConfiguration {
        .section("\(start)[\(text)]", "4:5 \(expected)")
    }

    @Test(arguments: cases) func isReportedWithLineAndColumn(_ broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: [
        "https://app.example", "https://app.example:8443", "http://localhost:5173", "http://127.0.0.1",
        "https://[::1]:8443",
        "https://xn--bcher-kva.example", "https://a_b.example",
    ]) func anOriginAsBrowsersSendItIsRead(_ origin: String) throws {
        let configuration = try ConfigurationTesting.load(section: "\(Self.start)['\(origin)']")
        #expect(configuration.accounts?.origins == [origin])
        #expect(configuration.warnings.isEmpty)
    }
}
