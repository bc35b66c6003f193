import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import SystemFixtures

/// Claims are data: their text never becomes a line, a field or a decision.
@Suite(
    .sharedScenario { configuration in
        configuration["headers"] = """
            { extra: { X-Role: token.role, X-Dotted: 'token["https://x.example/roles"]', X-Nested: token.a.b,
                       X-Flat: 'token["a.b"]' } }
            """
        configuration.routes = ["path: /open/**, on_store_failure: allow, upstream: api"] + configuration.routes
    })
struct HostileClaimTests: SharedScenarioSuite {
    static let values: [String] = [
        "line\r\nX-Auth-Uid: root", "lf\nX-Role: root", "lone\rcr", "nul\u{0}nul", "tab\tbell\u{7}esc\u{1B}",
        " spaces ",
        "\u{e4}\u{20ac}\u{1F600}", "100%", "%0d%0aX-Role: root", "a,b;c=\"d\\\"", "\u{2028}\u{85}",
        "\r\n\r\nGET / HTTP/1.1",
    ]

    /// The claims that reach fields, and the names of these fields.
    static let claimFields: [(path: [String], field: String)] = [
        (["sub"], "X-Auth-Uid"), (["email"], "X-Auth-Email"), (["firebase", "sign_in_provider"], "X-Auth-Provider"),
        (["role"], "X-Role"), (["https://x.example/roles"], "X-Dotted"), (["a", "b"], "X-Nested"),
    ]

    @Test(.tags(.a14), arguments: values)
    func `no claim adds a field line`(value: String) throws {
        for place in Self.claimFields {
            let token = try scenario.token { token in
                var token = token.removing("user_id")
                token.claims.set(place.path, to: .string(value))
                return token
            }
            // A uid with control characters is invalid.
            if place.path == ["sub"], value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
                expectDenial(try scenario.send(.bearer(token, "/me/a14")), 401, "auth/invalid-id-token")
                continue
            }
            let report = try scenario.passes(.bearer(token, "/me/a14"))
            let sent = try #require(report.values(place.field).first)
            #expect(report.values(place.field).count == 1)
            #expect(sent.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "\(place.field): \(sent)")
            #expect(sent.removingPercentEncoding == value, "\(place.field): \(sent)")
            #expect(report.fields.filter { $0.value == "root" }.isEmpty)
            let names = Set(report.fields.map { $0.name.lowercased() })
            #expect(names.count == report.fields.count, "a field is repeated")
        }
    }

    @Test(.tags(.a14), arguments: [("role", 9_000), ("name", 10_240), ("email", 9_000)])
    func `a long claim is forwarded completely or rejected`(claim: String, count: Int) throws {
        let long = String(repeating: "n", count: count)
        let response = try scenario.send(
            .bearer(scenario.token { $0.setting(claim, to: .string(long)) }, "/me/a14"))
        guard response.status == 200 else { return expectDenial(response, 431, "request/head-too-large") }
        let token = try #require(EchoReport(response)?.auth?["token"])
        #expect(token[claim] == .string(long))
    }

    @Test(.tags(.a14)) func `the identity fields of a request are bounded`() throws {
        let long = JSON.string(String(repeating: "n", count: 5_500))
        let token = try scenario.token { $0.setting("name", to: long).setting("role", to: long) }
        expectDenial(try scenario.send(.bearer(token, "/me/a14")), 431, "request/head-too-large")
    }

    static let undecodable: [(what: String, line: String, status: Int)] = [
        ("a non-ASCII token", "Authorization: Bearer \u{FF}\u{FE}.\u{FF}.\u{FF}", 401),
        ("a non-ASCII scheme", "Authorization: B\u{E9}arer TOKEN", 401),
        ("a byte after the token", "Authorization: Bearer TOKEN\u{80}", 401),
        ("a byte before the token", "Authorization: Bearer \u{A0}TOKEN", 401),
        ("a cookie's token", "Cookie: __session=eyJ\u{FF}.eyJ\u{FF}.\u{FF}", 401),
        ("a cookie that is not a token", "Cookie: __session=\u{FF}\u{FE}", 401),
        ("only an identity field", "X-Auth-Uid: \u{C3}\u{28}ada", 401),
        ("another field and a token", "Authorization: Bearer TOKEN\nX-Any: \u{C3}\u{28}\u{FF}", 200),
        ("a name", "X-\u{C3}\u{A4}: a", 400),
    ]

    @Test(.tags(.a15), arguments: undecodable, ["/me/a15", "/open/a15", "/strict/a15"])
    func `a credential that is not valid text permits nothing`(
        row: (what: String, line: String, status: Int), target: String
    ) throws {
        let (response, count) = try scenario.forwarded {
            try scenario.send(RawRequest(stringLiteral: "GET \(target) HTTP/1.1\nHost: a\n\(row.line)\n\n"))
        }
        #expect(response.status == row.status, "\(row.what): \(response.text)")
        #expect(count == (row.status == 200 ? 1 : 0), "\(row.what)")
    }

    @Test(
        .tags(.a15),
        arguments: [[0xFF], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80]] as [[UInt8]])
    func `a claim that is not valid text is not forwarded`(bytes: [UInt8]) throws {
        let key = try #require(scenario.provider.keys.current(for: .idToken))
        var payload = scenario.provider.idToken(for: .ada).setting("name", to: "BYTES").claims.bytes
        let start = try #require(payload.firstRange(of: Array("BYTES".utf8)))
        payload.replaceSubrange(start, with: bytes)
        try scenario.expectRefusal(.bearer(key.sign(payload: payload), "/open/a15"), 401, "auth/argument-error")
    }

    static let shapes: [(claim: [String], value: JSON, fields: [String: String?])] = [
        (["https://x.example/roles"], ["a", "b"], ["X-Dotted": "[\"a\",\"b\"]"]),
        (["https://x.example/roles"], ["a": ["b": 1]], ["X-Dotted": "{\"a\":{\"b\":1}}"]),
        (["https://x.example/roles"], nil, ["X-Dotted": nil]),
        (["https://x", "example/roles"], "nested", ["X-Dotted": nil]),
        (["a", "b"], "nested", ["X-Nested": "nested", "X-Flat": nil]),
        (["a.b"], "flat", ["X-Flat": "flat", "X-Nested": nil]),
        (["a"], [["b": "in an array"]], ["X-Nested": nil, "X-Flat": nil]),
        (["a"], "text", ["X-Nested": nil, "X-Flat": nil]),
        (["a", "b"], true, ["X-Nested": "true"]), (["a", "b"], 0, ["X-Nested": "0"]),
        (["a", "b"], "", ["X-Nested": nil]), (["a", "b"], nil, ["X-Nested": nil]),
    ]

    @Test(.tags(.e18), arguments: shapes)
    func `the path of a claim is unambiguous`(row: (claim: [String], value: JSON, fields: [String: String?])) throws {
        let token = try scenario.token { token in
            var token = token
            token.claims.set(row.claim, to: row.value)
            return token
        }
        let spoofed = row.fields.keys.map { "\($0): spoofed" }
        var request = WireRequest.bearer(token, "/me/e18")
        request.fields += spoofed
        let report = try scenario.passes(request)
        for (name, value) in row.fields { #expect(report.values(name) == [value].compactMap { $0 }, "\(name)") }
    }

    @Test(
        .tags(.e13),
        arguments: [
            "\"true\"", "\"false\"", "1", "0", "null", "[true]", "{}", "\"TRUE\"", "missing", "false", "true",
        ])
    func `only the JSON value true verifies an e-mail address`(value: String) throws {
        let token = try scenario.token {
            value == "missing" ? $0.removing("email_verified") : $0.setting("email_verified", to: .raw(value))
        }
        let report = try scenario.passes(.bearer(token, "/me/e13", "X-Auth-Email-Verified: true"))
        #expect(report.values("X-Auth-Email-Verified") == [value == "true" ? "true" : "false"])
    }
}
