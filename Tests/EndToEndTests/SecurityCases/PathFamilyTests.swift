import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Rules and the upstream get the same path, for every spelling.
@Suite(
    .sharedScenario { configuration in
        configuration.routes =
            [
                "path: '/foo/{name}/bar', auth: none, upstream: api",
                "path: /kept/**, auth: none, encoded_slashes: keep, strip_prefix: /kept, upstream: api",
                "path: /loose/**, auth: none, merge_slashes: false, strip_prefix: /loose, upstream: api",
                "path: /hosted/**, host: public.example, auth: none, upstream: api",
            ] + configuration.routes
    })
struct PathFamilyTests: SharedScenarioSuite {
    private static let pieces = [
        "/", "/", "/", "//", ".", "..", "%2e", "%2E%2e", "%2f", "%5c", "\\", "%25", "%252e", "2e", "2f", "me", "me",
        "public", "public", "%6de", ";", ";x=1", "%00", "%", "?", "#", "a", "%C3%A4", "~", "%7e", "*", ":", "@",
    ]

    /// The generator has a fixed seed, so that a failure can be reproduced.
    private static func target(_ generator: inout SeededRandom) -> String {
        let length = Int.random(in: 2...9, using: &generator)
        let start = ["/public/", "/public", "/stripped/", "/kept/", "/loose/", "/me/../public/", "/"].randomElement(
            using: &generator)!
        return start + (0..<length).compactMap { _ in pieces.randomElement(using: &generator) }.joined()
    }

    @Test(.tags(.b01, .b02, .b04, .b05, .b11)) func `no spelling of a path bypasses the policy of its route`() throws {
        var generator = SeededRandom(seed: 42)
        var client = try scenario.connect()
        var passed = 0
        for _ in 0..<1500 {
            let target = Self.target(&generator)
            let response = try client.exchange(.get(target))
            if response["Connection"] == "close" { client = try scenario.connect() }
            guard response.status == 200 else {
                #expect([400, 401, 404].contains(response.status), "\(target): \(response.status)")
                continue
            }
            passed += 1
            let path = try #require(EchoReport(response)).path.prefix { $0 != "?" }
            Self.expectCanonical(String(path), of: target)
        }
        #expect(passed > 150, "\(passed)")
    }

    /// A forwarded path is completely decoded: decoding it again results in the same path.
    private static func expectCanonical(_ path: String, of target: String) {
        let lower = path.lowercased()
        let isKept = target.contains("/kept")
        let never = ["%2e", "%5c", "%00", "%25", "\\", "#", "/./", "/../", "/.;", "/..;"] + (isKept ? [] : ["%2f"])
        for piece in never where !(piece == "%25" && target.contains("%25")) {
            #expect(!lower.contains(piece), "\(target) became \(path)")
        }
        #expect(!path.hasSuffix("/.") && !path.hasSuffix("/.."), "\(target) became \(path)")
        let isPublic = ["/public", "/stripped", "/kept", "/loose", "/foo"].contains { target.contains($0) }
        #expect(path.hasPrefix("/") && isPublic, "\(target) became \(path)")
        if !["/stripped", "/kept", "/loose"].contains(where: { target.contains($0) }) {
            #expect(path.hasPrefix("/public") || path.hasPrefix("/foo"), "\(target) became \(path)")
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let target: String
        let status: Int
        let forwarded: String?
        var testDescription: String { target }

        init(_ target: String, _ status: Int, _ forwarded: String? = nil) {
            self.target = target
            self.status = status
            self.forwarded = forwarded
        }
    }

    /// Spellings of the path of a route that requires a credential, and the path that is forwarded.
    static let canonical: [Row] = [
        Row("/public/../me/x", 401), Row("/public/x/../../me/x", 401), Row("/public/./../me/x", 401),
        Row("/public/%2e%2e/me/x", 401), Row("/public/.%2E/me/x", 401), Row("//me/x", 401), Row("/./me/x", 401),
        Row("/public/../%6de/x", 401), Row("/m%65/x", 401), Row("/me/x/y/..", 401), Row("/me//x", 401),
        Row("/public/a/./b", 200, "/public/a/b"), Row("/public//..//me/x", 200, "/public/me/x"),
        Row("/public/a/.", 200, "/public/a/"), Row("/public/a/b/..", 200, "/public/a/"),
        Row("/public/%7Euser", 200, "/public/~user"), Row("/public/a%c3%a4", 200, "/public/a%C3%A4"),
        Row("/public/x?q=../..//%2f", 200, "/public/x?q=../..//%2f"), Row("/public/x/", 200, "/public/x/"),
        Row("/public/..;/me", 400), Row("/public/.;x=1/me", 400), Row("/../me", 400), Row("/public/%zz", 400),
        Row("/public/x#/me", 400),
    ]

    static let fragments: [Row] = [
        Row("/foo/secret%23/bar", 200, "/foo/secret%23/bar"), Row("/foo/secret#/bar", 400), Row("/me#/public/x", 400),
        Row("/foo/secret%23%2fbar", 400), Row("/me%23/public/x", 404), Row("/foo/a%3Fb/bar", 200, "/foo/a%3Fb/bar"),
        Row("/foo/a?b/bar", 404), Row("/me?/foo/x/bar", 401), Row("/me/x?y=/public/z", 401), Row("/me/x?#", 400),
        Row("/foo/a/b/bar", 404), Row("/foo//bar", 404), Row("/foo/%20/bar", 200, "/foo/%20/bar"),
        Row("/foo/../bar", 404), Row("/foo/..%3b/bar", 400), Row("/foo/x%3b/bar", 200, "/foo/x%3B/bar"),
    ]

    static let rewrites: [Row] = [
        Row("/stripped/..%2fme", 400), Row("/stripped../me", 404), Row("/strippedx", 404),
        Row("/stripped%2f..%2fme", 400),
        Row("/stripped", 200, "/"), Row("/stripped/", 200, "/"), Row("/stripped//me/x", 200, "/me/x"),
        Row("/stripped/a/b?c", 200, "/a/b?c"), Row("/stripped/../me/x", 401),
        Row("/stripped/%2e%2e/me/x", 401), Row("/stripped/.;/me", 400), Row("/stripped/%252e%252e/me", 400),
        Row("/kept/..%2fme", 400), Row("/kept/%2e%2e%2fme", 400), Row("/kept/a%2f..%2f..%2fme", 400),
        Row("/kept/a%2Fb", 200, "/a%2Fb"), Row("/kept/%2f", 200, "/%2F"), Row("/kept/.%2fme", 400),
        Row("/kept/%5cme", 400),
        Row("/loose//me", 400), Row("/loose/..", 404), Row("/loose/a//b", 200, "/a//b"),
        Row("/loose/..//me/x", 401),
    ]

    @Test(.tags(.b01, .b02, .b04, .b05, .b07), arguments: canonical)
    func `a path is matched and forwarded in its canonical form`(_ row: Row) throws { try expect(row) }

    @Test(.tags(.b07, .b08, .b09), arguments: fragments)
    func `path and query are separated once`(_ row: Row) throws { try expect(row) }

    @Test(.tags(.b11), arguments: rewrites)
    func `the path after a stripped prefix is checked again`(_ row: Row) throws { try expect(row) }

    private func expect(_ row: Row) throws {
        let (response, count) = try scenario.forwarded { try scenario.send(.get(row.target)) }
        #expect(response.status == row.status, "\(row.target): \(response.text)")
        #expect(count == (row.status == 200 ? 1 : 0))
        if let forwarded = row.forwarded { #expect(EchoReport(response)?.path == forwarded) }
    }

    /// Escaped backslashes and slashes, in any case and at any position.
    @Test(
        .tags(.b02, .b12),
        arguments: [
            "%2f", "%2F", "%5c", "%5C", "\\", "%252f", "%255C", "%25%32%66", "%00", "%u002f", "%c0%af%", "%2",
        ])
    func `no escape hides a separator`(escape: String) throws {
        for target in [
            "/public\(escape)x", "/public/a\(escape)..\(escape)..\(escape)me", "/public/\(escape)", "\(escape)me",
        ] {
            let status = try scenario.send(.get(target.hasPrefix("/") ? target : "/" + target)).status
            #expect(status == 400, "\(target): \(status)")
        }
    }

    static let lines: [(what: String, text: RawRequest, status: [Int])] = [
        ("B-13 no slash", "GET me/x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-13 nothing", "GET  HTTP/1.1\nHost: a\n\n", [400]),
        ("B-13 an asterisk", "GET * HTTP/1.1\nHost: a\n\n", [400]),
        ("B-13 OPTIONS *", "OPTIONS * HTTP/1.1\nHost: a\n\n", [400, 404, 405]),
        ("B-13 a query alone", "GET ?x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 a scheme in mixed case", "GET htTp://a/me/x HTTP/1.1\nHost: a\n\n", [401]),
        ("B-14 a scheme with a slash", "GET http/://a/public/x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 a scheme with a space", "GET http ://a/public/x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 another scheme", "GET ftp://a/public/x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 a script", "GET javascript:alert(1) HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 one slash", "GET http:/public/x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 another host", "GET http://public.example/hosted/x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 another host in Host", "GET http://a/hosted/x HTTP/1.1\nHost: public.example\n\n", [400]),
        ("B-14 a user", "GET http://a@public.example/hosted/x HTTP/1.1\nHost: public.example\n\n", [400]),
        ("B-14 another port", "GET http://a:81/public/x HTTP/1.1\nHost: a\n\n", [400]),
        ("B-14 X-Forwarded-Host", "GET /hosted/x HTTP/1.1\nHost: a\nX-Forwarded-Host: public.example\n\n", [404]),
        ("B-14 Forwarded", "GET /hosted/x HTTP/1.1\nHost: a\nForwarded: host=public.example\n\n", [404]),
        ("B-19 no host", "GET /public/x HTTP/1.1\nX-A: b\n\n", [400]),
        ("B-19 an empty host", "GET /public/x HTTP/1.1\nHost: \n\n", [400]),
        ("B-19 the same host twice", "GET /public/x HTTP/1.1\nHost: a\nHost: a\n\n", [400]),
        ("B-19 two hosts", "GET /hosted/x HTTP/1.1\nHost: a\nhost: public.example\n\n", [400]),
        ("B-19 two hosts in one", "GET /hosted/x HTTP/1.1\nHost: public.example, a\n\n", [400]),
        ("B-19 a space", "GET /hosted/x HTTP/1.1\nHost: public.example a\n\n", [400]),
        ("B-19 a tab", "GET /hosted/x HTTP/1.1\nHost: public.example\ta\n\n", [400]),
        ("B-19 a path", "GET /hosted/x HTTP/1.1\nHost: public.example/x\n\n", [400]),
        ("B-19 a query", "GET /hosted/x HTTP/1.1\nHost: public.example?x\n\n", [400]),
        ("B-19 a fragment", "GET /hosted/x HTTP/1.1\nHost: public.example#x\n\n", [400]),
        ("B-19 a user", "GET /hosted/x HTTP/1.1\nHost: a@public.example\n\n", [400]),
        ("B-19 an invalid port", "GET /hosted/x HTTP/1.1\nHost: public.example:x\n\n", [400]),
        ("B-19 a port too high", "GET /hosted/x HTTP/1.1\nHost: public.example:65536\n\n", [400]),
        ("B-19 not ASCII", "GET /hosted/x HTTP/1.1\nHost: public.ex\u{E4}mple\n\n", [400]),
        ("B-19 half an address", "GET /public/x HTTP/1.1\nHost: [::1\n\n", [400]),
        ("B-19 no address", "GET /public/x HTTP/1.1\nHost: [::g]\n\n", [400]),
        ("B-19 a backslash", "GET /hosted/x HTTP/1.1\nHost: a\\public.example\n\n", [400]),
        ("B-19 X-Host", "GET /hosted/x HTTP/1.1\nHost: a\nX-Host: public.example\n\n", [404]),
    ]

    @Test(.tags(.b13, .b14, .b19), arguments: lines)
    func `a request has one target and one host or is rejected`(row: (what: String, text: RawRequest, status: [Int]))
        throws
    {
        let (response, count) = try scenario.forwarded { try scenario.send(row.text) }
        #expect(row.status.contains(response.status), "\(row.what): \(response.status)")
        #expect(count == 0, "\(row.what)")
    }

    @Test(.tags(.b14)) func `an absolute target with the same host is forwarded as a path`() throws {
        let response = try scenario.send("GET http://a/public/x HTTP/1.1\nHost: a\n\n")
        #expect(EchoReport(response)?.path == "/public/x")
    }

    static let unmatched = [
        "/", "/unknown", "/publicly", "/public.", "/public%20", "/PUBLIC/x", "/foo", "/foo/x", "/foo/x/baz",
        "/hosted/x",
        "/.gatehouse/", "/.gatehouse/x", "/%2Egatehouse/x", "/public/../.gatehouse/x", "/admin2", "/methods/x",
    ]

    @Test(.tags(.b16), arguments: unmatched, ["GET", "OPTIONS", "POST", "PROPFIND"])
    func `a path without a route is never public`(target: String, method: String) throws {
        let (response, count) = try scenario.forwarded {
            try scenario.send(WireRequest(method: method, target: target, fields: ["Content-Length: 0"]))
        }
        #expect(response.status == 404)
        #expect(count == 0)
    }
}
