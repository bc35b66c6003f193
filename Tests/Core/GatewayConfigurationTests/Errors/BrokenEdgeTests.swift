import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct BrokenEdgeTests {
    static let cases: [BrokenConfiguration] = [
        .route("path: /{a}\nauth: none\nrewrite: { path: '/{b}' }", "7:5 no capture of the route is named 'b'"),
        .route(
            "path: /{a}\nauth: none\nrewrite: { path: '/x//{a}' }",
            "7:5 rewrite.path: not a canonical path; write '//' as '/'"),
        .route(
            "path: /a/{b}\nauth: none\nstrip_prefix: /a\nrewrite: { path: '/{b}' }",
            "8:5 rewrite.path and strip_prefix are mutually exclusive; remove one"),
        .route("path: /\nauth: none\nrewrite: { host: 'http://a' }", "7:22 write HOST or HOST:PORT"),
        .route("path: /\nauth: none\nrewrite: { host: 'a:0' }", "7:22 not a host"),
        .route("path: /\nauth: none\nrewrite: { host: 'a b' }", "7:22 is 'a b', an address with an invalid host"),
        .section(
            "response_headers: { set: { … } }", "1:28 frames the message",
            values: [
                "Content-Length: '1'", "transfer_encoding: x", "Connection: x", "Upgrade: x", "Proxy-Authenticate: x",
            ]),
        .section("response_headers: { set: { Date: x } }", "1:28 clients need the field"),
        .section(
            "response_headers: { set: { …: x } }",
            "1:28 describes an individual response, so it cannot have a fixed value; remove it",
            values: ["Set-Cookie", "Vary", "X-Forwarded-For"]),
        .section("response_headers: { set: { Access-Control-Allow-Origin: '*' } }", "1:28 use the route's cors"),
        .section("response_headers: { set: { 'a b': x } }", "1:28 is not a field name"),
        .section("response_headers: { set: { X-A: \"a\\r\\nb\" } }", "1:33 contains a control character"),
        .section("response_headers: { set: { X-A: … } }", "1:33 is not a valid field value", values: ["' a'", "é"]),
        .section(
            "response_headers: { set: { X-A: a, x_a: b } }",
            "1:36 duplicate field 'x_a' in response_headers.set; remove one of them"),
        .section("response_headers: { remove: [Content-Encoding] }", "1:30 clients need the field"),
        .section("response_headers: { remove: [Trailer] }", "1:30 frames the message"),
        .section("response_headers: { set: { X-A: a }, remove: [x-a] }", "1:19 both sets and removes 'X-A'"),
        .section("trace_context: always", "1:16 trace_context cannot be 'always'"),
    ]

    static let cors: [(value: String, problem: String)] = [
        ("{}", "cors is an empty mapping"), ("{ max_age: 1s }", "cors.origins is missing; list the origins"),
        ("{ origins: [] }", "cors.origins is an empty list"),
        ("{ origins: [https://app.example/] }", "not in the form that browsers send; write https://app.example"),
        ("{ origins: [https://app.example/x] }", "not in the form that browsers send; write https://app.example"),
        ("{ origins: ['https://*.app.example'] }", "is an origin with a wildcard"),
        ("{ origins: [app.example] }", "is no origin; write https://HOST"),
        ("{ origins: [https://app.example:443] }", "not in the form that browsers send; write https://app.example"),
        ("{ origins: [Capacitor://localhost] }", "is a URL whose scheme is neither http nor https"),
        ("{ origins: [capacitor://local/host] }", "is a URL whose scheme is neither http nor https"),
        ("{ origins: ['*', https://app.example] }", "lists other origins besides '*'; write '*' alone"),
        ("{ origins: '*', credentials: true }", "would let every page act as the user"),
        ("{ origins: ['null'], credentials: true }", "would let any page in a sandboxed frame act as the user"),
        ("{ origins: '*', methods: [PUT] }", "lists PUT, which is not one of the route's methods; add it there"),
        ("{ origins: '*', methods: ['P UT'] }", "is 'P UT', not a method"),
        ("{ origins: '*', methods: [CONNECT] }", "CONNECT is not supported"),
        ("{ origins: '*', headers: ['*'] }", "not a field name; omit headers to allow any"),
        ("{ origins: '*', headers: ['a b'] }", "is 'a b', not a field name"),
        ("{ origins: https://a.example, credentials: true, expose: '*' }", "not a field name; list the fields"),
        ("{ origins: '*', max_age: 2d }", "out of range; write 0s to 1d"),
        ("{ origins: '*', age: 1 }", "unknown key 'age' in routes[].cors"),
    ]

    static let limits: [(value: String, problem: String)] = [
        ("[]", "rate_limit is an empty list"),
        ("[{ per: uid, requests: 1 }]", "every is missing"),
        ("[{ requests: 1, every: 1s }]", "per is missing"),
        ("[{ per: user, requests: 1, every: 1s }]", "per cannot be 'user'"),
        ("[{ per: uid, requests: 1, every: 1s, scope: all }]", "scope cannot be 'all'"),
        ("[{ per: uid, requests: 1, every: 1s, scope: fleet }]", "use a Redis store, or remove scope"),
        ("[{ per: uid, requests: 0, every: 1s }]", "out of range; write 1 to 1000000"),
        ("[{ per: uid, requests: 1, every: 100ms }]", "out of range; write 1s to 1d"),
        ("[{ per: uid, requests: 1, every: 1s, burst: 0 }]", "out of range; write 1 to 1000000"),
        (
            "[{ per: uid, requests: 1, every: 1s }, { per: uid, requests: 1, every: 1s }]",
            "has a duplicate limit; remove one"
        ),
        ("{ per: uid, requests: 1, every: 1s }", "is not a list"),
    ]

    private func check(_ key: String, _ row: (value: String, problem: String)) {
        let broken = BrokenConfiguration.route("path: /\nauth: none\nmethods: [GET]\n\(key): \(row.value)")
        let errors = ConfigurationTesting.errors(in: broken.yaml)
        let text = errors.map { "\($0.location.line) \($0.what); \($0.remedy)" }
        #expect(errors.count == 1 && errors[0].location.line == 8 && text[0].contains(row.problem), "\(text)")
    }

    @Test(arguments: cors) func `invalid CORS is reported`(row: (value: String, problem: String)) { check("cors", row) }

    @Test(arguments: limits) func `an invalid limit is reported`(row: (value: String, problem: String)) {
        check("rate_limit", row)
    }

    @Test(arguments: cases)
    func `each error is reported with line and column`(broken: BrokenConfiguration) { broken.check() }
}

@Suite struct EdgeReadingTests {
    private func route(_ keys: String) throws -> Configuration.Route {
        let configuration = try ConfigurationTesting.load(
            """
            upstreams: { api: { servers: ["http://backend"] } }
            routes: [{ path: '/v1/{id}/{rest=**}', auth: none, upstream: api, \(keys) }]
            """)
        return try #require(configuration.routes.first)
    }

    @Test func `every key of CORS is read`() throws {
        let cors = try #require(
            try route(
                """
                cors: { origins: [https://app.example, 'capacitor://localhost'], methods: [get, PUT], headers: X-A,
                  expose: [X-B], credentials: true, max_age: 1h }
                """
            ).cors)
        #expect(cors.origins == ["https://app.example", "capacitor://localhost"] && cors.methods == ["GET", "PUT"])
        #expect(cors.headers == ["X-A"] && cors.expose == ["X-B"] && cors.credentials)
        #expect(cors.maximumAge == .seconds(3600))
        let plain = try #require(try route("cors: { origins: ['null'] }").cors)
        #expect(plain.origins == ["null"] && plain.methods == nil && plain.headers == nil && !plain.credentials)
        #expect(plain.maximumAge == .seconds(600))
    }

    @Test func `every key of a limit is read`() throws {
        let limits = try route(
            "rate_limit: [{ per: uid, requests: 5, every: 1m }, { per: route, requests: 1, every: 1s, burst: 9 }]"
        )
        .rateLimits
        #expect(
            limits == [
                .init(per: .uid, requests: 5, every: .seconds(60), burst: 5),
                .init(per: .route, requests: 1, every: .seconds(1), burst: 9),
            ])
    }

    @Test func `a limit of the fleet needs a Redis store`() throws {
        let limit = "{ per: uid, requests: 5, every: 1m, scope: fleet }"
        let yaml = """
            store: redis://127.0.0.1
            upstreams: { api: { servers: ["http://127.0.0.1:3000"] } }
            routes: [{ path: /, auth: none, upstream: api, rate_limit: [\(limit)] }]
            """
        let shared = try ConfigurationTesting.load(yaml).routes.first
        #expect(shared?.rateLimits.map(\.scope) == [.fleet])
        let own = try route("rate_limit: [{ per: uid, requests: 5, every: 1m }]")
        #expect(own.rateLimits.map(\.scope) == [.gateway])
    }

    @Test func `the rewrite and the fields are read`() throws {
        let route = try route(
            """
            rewrite: { path: '/i/{id}/{rest}', host: 'API.internal:8080' },
              response_headers: { set: { X-A: 'a b' }, remove: [Server] }
            """)
        #expect(route.rewrite?.path == "/i/{id}/{rest}" && route.rewrite?.host == "api.internal:8080")
        #expect(route.responseHeaders.set == [.init(name: "X-A", value: "a b")])
        #expect(route.responseHeaders.remove == ["Server"])
    }
}
