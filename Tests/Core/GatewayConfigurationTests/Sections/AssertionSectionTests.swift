import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct AssertionSectionTests {
    static let broken: [BrokenConfiguration] = [
        .section("headers: { assertion: key.pem }", "1:23 headers.assertion is not a mapping"),
        assertion("keys: b", "1:37 unknown key 'keys' in headers.assertion"),
        assertion("lifetime: 9s", "1:47 out of range; write 10s to 1h"),
        assertion("lifetime: 61m", "1:47 out of range; write 10s to 1h"), assertion("issuer: ''", "1:45 is empty"),
        assertion("issuer: \(String(repeating: "i", count: 1_025))", "1:45 is longer than 1024 bytes"),
        assertion("previous_keys: [b, b]", "1:56 has a duplicate entry"),
        assertion("previous_keys: a.pem", "1:52 previous_keys is the current signing key; remove it here"),
        assertion("previous_keys: [b, c, d, e, f, g, h, i, j]", "1:52 has more than 8 files; remove the oldest"),
    ]

    private static func assertion(_ line: String, _ expected: String) -> BrokenConfiguration {
        .section("headers: { assertion: { key: a.pem, \(line) } }", expected)
    }

    @Test(arguments: broken)
    func `each error in the assertion is reported with line and column`(broken: BrokenConfiguration) {
        broken.check()
    }

    @Test func `every key of the assertion is read`() throws {
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

@Suite struct RevocationSourceTests {
    static let broken: [BrokenConfiguration] = [
        .section(
            "revocation: { source: firebase, service_account: a }",
            "1:15 revocation.source: firebase without a Firebase project; add identity.firebase.project"),
        .section("revocation: { source: redis }", "1:23 revocation.source cannot be 'redis'; write store or firebase"),
        .section(
            "revocation: { service_account: a }",
            "1:15 revocation.service_account without source: firebase or write_back; add"),
        .section(
            "revocation: { source: store, lookup_timeout: 1s }",
            "1:30 lookup_timeout without source: firebase or write_back"),
        lookup("service_account: a, lookup_timeout: …", "2:69 write 10ms to 5s", values: ["9ms", "6s"]),
        lookup(
            "service_account: a, lookup_url: 'http://a.example'",
            "2:65 where an attacker on the network could read tokens and secrets; use https://"),
        lookup("service_account: a, lookup_url: lookup", "2:65 not an absolute URL"),
    ]

    private static func firebase(_ keys: String, _ expected: String, values: [String] = []) -> BrokenConfiguration {
        .section("identity: { firebase: { project: p } }\nrevocation: { \(keys) }", expected, values: values)
    }

    private static func lookup(_ keys: String, _ expected: String, values: [String] = []) -> BrokenConfiguration {
        firebase("source: firebase, \(keys)", expected, values: values)
    }

    @Test(arguments: broken)
    func `each error in the revocation source is reported with line and column`(broken: BrokenConfiguration) {
        broken.check()
    }

    @Test func `every key of the revocation source is read`() throws {
        let configuration = try ConfigurationTesting.load(
            section: """
                revocation: { source: firebase, service_account: a.json, lookup_url: 'http://localhost:9/{project}', lookup_timeout: 1s }
                identity: { firebase: { project: p } }
                """)
        var expected = Configuration.FirebaseAccounts(serviceAccount: "a.json")
        expected.lookupURL = "http://localhost:9/{project}"
        expected.timeout = .seconds(1)
        #expect(configuration.revocation.firebase == expected)
    }
}

@Suite struct StreamSectionTests {
    static let cases: [BrokenConfiguration] = [
        .route("path: /\nupgrade: websocket", "6:14 routes[].upgrade is not a list"),
        .route("path: /\nupgrade: [web socket]", "6:15 not a protocol; write a token as in websocket"),
        .route("path: /\nupgrade: [websocket, WebSocket]", "6:26 has a duplicate entry"),
        .route("path: /\nupgrade: [h2c]", "6:15 would forward requests without an authorization decision"),
        .route("path: /\ntoken_query: 'a b'", "6:18 is 'a b', not a parameter name; write letters"),
        .route("path: /\ntoken_protocol: yes", "6:21 not true or false"),
        .route(
            "path: /\ntoken_protocol: true", "6:5 token_protocol requires WebSockets, which the route does not accept"),
        .route("path: /\nauth: none\ntoken_query: t", "7:5 token_query can never apply on a route with auth: none"),
        .route("path: /\nmax_stream: 0s", "6:17 out of range; write 1ms to 30d"),
        .route("path: /\nstream_grace: 2h", "6:19 out of range; write 0s to 1h"),
        .route("path: /\nstream_idle_timeout: 2d", "6:26 out of range; write 1ms to 1d"),
        .section("limits: { max_stream: 31d }", "1:23 out of range; write 1ms to 30d"),
    ]

    @Test(arguments: cases)
    func `each error in a stream option is reported with line and column`(broken: BrokenConfiguration) {
        broken.check()
    }

    @Test func `every stream option is read`() throws {
        let configuration = try ConfigurationTesting.load(
            """
            identity: { firebase: { project: demo } }
            limits: { max_stream: 2h, stream_grace: 10s, stream_idle_timeout: 20m }
            upstreams: { api: { servers: ["http://backend"] } }
            routes:
              - path: /
                upstream: api
                upgrade: [WebSocket, mqtt]
                token_query: access_token
                token_protocol: true
                max_stream: 8h
            """)
        let route = try #require(configuration.routes.first)
        #expect(route.upgrade == ["websocket", "mqtt"])
        #expect(route.tokenQuery == "access_token" && route.tokenProtocol)
        #expect(route.maxStream == .seconds(28_800) && route.streamGrace == nil)
        let limits = configuration.limits
        #expect(
            [limits.maxStream, limits.streamGrace, limits.streamIdleTimeout] == [
                .seconds(7200), .seconds(10), .seconds(1200),
            ])
    }
}
