import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

/// The URLs of apps in `accounts.apps`.
@Suite struct AppURLTests {
    private static let start =
        "identity: { firebase: { project: demo } }\naccounts:\n  public_url: https://api.example.com\n  apps: "

    static let accepted: [(String, Configuration.AppURL.Kind)] = [
        ("com.example.app:/callback", .privateScheme), ("com.example-1.app2:/", .privateScheme),
        ("app.x+y:/a/b-c_d~e.f/", .privateScheme), ("https://app.example.com/callback", .claimedLink),
        ("https://app.example.com:8443/", .claimedLink), ("https://api.example.com/app/callback", .claimedLink),
        ("http://127.0.0.1/callback", .loopback), ("http://[::1]/", .loopback),
    ]

    @Test(arguments: accepted) func `the URL of an app is read`(text: String, kind: Configuration.AppURL.Kind) throws {
        for yaml in [text, "['\(text)']"] where !yaml.hasPrefix("http://[") {
            let configuration = try ConfigurationTesting.load(section: Self.start + yaml)
            let url = try #require(configuration.accounts?.apps.first)
            #expect(url.text == text && url.kind == kind && url.matches(text) && configuration.warnings.isEmpty)
        }
    }

    static let rejected: [BrokenConfiguration] = [
        broken("callback", "is no URL; write com.example.app:/PATH"),
        broken("exampleapp:/callback", "is a URL whose scheme is no reversed domain name; use a scheme with a dot"),
        broken("javascript:/callback", "is a URL whose scheme is no reversed domain name"),
        broken("com..app:/callback", "is a URL whose scheme is no reversed domain name"),
        broken(".example.app:/callback", "is a URL whose scheme is no reversed domain name"),
        broken("1.example:/callback", "is a URL whose scheme is no reversed domain name"),
        broken("com.example_app:/callback", "is a URL whose scheme is no reversed domain name"),
        broken("com.Example.app:/callback", "is a URL with a scheme in capitals; write com.example.app:/PATH"),
        broken("com.example.app://callback", "is a URL without a plain path; write a path of letters"),
        broken("com.example.app:callback", "is a URL without a plain path"),
        broken("'com.example.app:'", "is a URL without a plain path"),
        broken("com.example.app:/a//b", "is a URL without a plain path"),
        broken("com.example.app:/a/../b", "is a URL without a plain path"),
        broken("com.example.app:/.", "is a URL without a plain path"),
        broken("com.example.app:/callback?x=1", "is a URL without a plain path"),
        broken("'com.example.app:/callback#x'", "is a URL without a plain path"),
        broken("com.example.app:/call%62ack", "is a URL without a plain path"),
        broken("com.example.app:/ü", "is a URL without a plain path"),
        broken("https://app.example.com", "is a URL without a plain path"),
        broken("https://app.example.com/a?b", "is a URL without a plain path"),
        broken("https://App.example.com/a", "browsers write differently; write https://app.example.com/a"),
        broken("https://app.example.com:443/a", "browsers write differently; write https://app.example.com/a"),
        broken("https://ada@app.example.com/a", "is an address with a user or password"),
        broken("https://*.example.com/a", "is an address with an invalid host"),
        broken("https://api.example.com/.gatehouse/", "is a path of the gateway"),
        broken("http://app.example.com/a", "is an http:// URL of another host than 127.0.0.1 and [::1]; use https://"),
        broken("http://localhost/a", "is an http:// URL of another host than 127.0.0.1 and [::1]"),
        broken("http://127.0.0.1:8080/a", "is a loopback URL with a port; remove the port"),
        broken("http://127.0.0.1.example.com/a", "is a URL without a plain path"),
        broken("http://127.0.0.1", "is a URL without a plain path"),
        .section(
            "identity: { firebase: { project: demo } }\naccounts: { apps: 'com.example.app:/callback' }",
            "2:13 accounts.apps has no effect without public_url; add public_url: https://HOST"),
        .section(start + "[com.example.app:/a, com.example.app:/a]", "4:30 accounts.apps has a duplicate entry"),
        .section(
            start + "[\((0..<65).map { "com.example.a\($0):/a" }.joined(separator: ","))]", "4:9 more than 64 URLs"),
    ]

    private static func broken(_ text: String, _ expected: String) -> BrokenConfiguration {
        .section(start + "[\(text)]", "4:10 \(expected)")
    }

    @Test(arguments: rejected)
    func `an invalid URL of an app is reported with line and column`(broken: BrokenConfiguration) { broken.check() }

    @Test(arguments: [("http://127.0.0.1", "/callback"), ("http://[::1]", "/")])
    func `a loopback URL has any port, and no other difference`(origin: String, path: String) throws {
        let url = try Configuration.AppURL(parsing: origin + path)
        for port in ["", ":1", ":80", ":65535"] { #expect(url.matches(origin + port + path), "\(port)") }
        for port in [":", ":0", ":65536", ":01", ":-1", ":+1", ":1:1", ":１", ":99999999999999999999"] {
            #expect(!url.matches(origin + port + path), "\(port)")
        }
        for other in ["\(origin):80\(path)x", "\(origin):80", "https\(origin.dropFirst(4)):80\(path)", ""] {
            #expect(!url.matches(other), "\(other)")
        }
        #expect(try !Configuration.AppURL(parsing: "https://app.example/a").matches("https://app.example:80/a"))
    }
}
