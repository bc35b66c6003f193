import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// A credential is never forwarded, whatever the result of the request.
@Suite(.sharedScenario) struct CredentialHygieneTests: SharedScenarioSuite {
    /// Targets with an error response of the gateway or of the upstream.
    static let failures: [(target: String, status: Int, forwarded: Int)] = [
        ("/down/x", 502, 0), ("/hasty/x?delay=5000", 504, 1), ("/public/x?drop=1", 502, 1),
        ("/public/x?raw=garbage", 502, 1), ("/public/x?status=500", 500, 1), ("/public/x?status=401", 401, 1),
        ("/public/x?status=302&field=Location:http://evil.example/", 302, 1), ("/unknown", 404, 0),
        ("/public/%00", 400, 0), ("/apple/x", 403, 0), ("/second/x", 401, 0),
    ]

    @Test(.tags(.a22), arguments: failures)
    func `no error response contains the credential`(
        row: (target: String, status: Int, forwarded: Int)
    ) async throws {
        let token = try scenario.token()
        let cookie = try scenario.cookie(.ada)
        // Late requests of other tests can arrive meanwhile.
        let mark = "hygiene-\(UInt64.random(in: 0 ... .max))"
        let seen = { scenario.echo.received.filter { $0.values(of: "X-Mark") == [mark] } }
        for credential in ["Authorization: Bearer \(token)", "Cookie: a=1; __session=\(cookie)"] {
            let response = try scenario.send(.get(row.target, credential, "X-Auth-Uid: spoofed", "X-Mark: \(mark)"))
            #expect(response.status == row.status, "\(response.text)")
            let answer = response.fields.map { "\($0.name): \($0.value)" }.joined() + response.text
            for secret in [token, cookie] { #expect(!answer.contains(secret.suffix(40))) }
        }
        // The upstream can read a request after the gateway has given up.
        _ = try await eventually("the upstream's requests") {
            seen().count >= 2 * row.forwarded ? true : nil
        }
        // The gateway can retry a request if the upstream closed a kept connection, but never at another upstream.
        let requests = seen()
        #expect(requests.count >= 2 * row.forwarded && requests.count <= 4 * row.forwarded, "\(requests.count)")
        for request in requests {
            let lines = request.fields.map { "\($0.name): \($0.value)" }
            #expect(!lines.contains { $0.contains(token.suffix(40)) || $0.contains(cookie.suffix(40)) }, "\(lines)")
            #expect(request.values(of: "X-Auth-Uid") == [])
        }
    }

    /// `Authorization` lines, and the status of an authenticated route.
    static let duplicates: [(what: String, lines: [String], status: Int)] = [
        ("the same twice", ["Authorization: Bearer TOKEN", "Authorization: Bearer TOKEN"], 400),
        ("in two cases", ["authorization: Bearer TOKEN", "AUTHORIZATION: Bearer TOKEN"], 400),
        ("with Basic first", ["Authorization: Basic dTpw", "Authorization: Bearer TOKEN"], 400),
        ("with Basic last", ["Authorization: Bearer TOKEN", "Authorization: Basic dTpw"], 400),
        ("with an empty one", ["Authorization: Bearer TOKEN", "Authorization:"], 400),
        ("with garbage", ["Authorization: x", "Authorization: Bearer TOKEN"], 400),
        ("three", ["Authorization: a", "Authorization: b", "Authorization: Bearer TOKEN"], 400),
        ("in one line", ["Authorization: Bearer TOKEN, Bearer TOKEN"], 401),
        ("with a session cookie of another user", ["Authorization: Bearer TOKEN", "Cookie: __session=COOKIE"], 400),
    ]

    @Test(.tags(.a23, .d17), arguments: duplicates)
    func `several credentials are rejected, whichever of them is valid`(
        row: (what: String, lines: [String], status: Int)
    ) throws {
        let head = row.lines.joined(separator: "\n")
        for target in ["/me/d17", "/optional/d17", "/strict/d17"] {
            let (response, count) = try scenario.forwarded {
                try scenario.send(RawRequest(stringLiteral: "GET \(target) HTTP/1.1\nHost: a\n\(head)\n\n"))
            }
            #expect(response.status == row.status, "\(row.what): \(response.text)")
            #expect(count == 0)
        }
        let report = try #require(
            EchoReport(try scenario.send(RawRequest(stringLiteral: "GET /public/d17 HTTP/1.1\nHost: a\n\(head)\n\n"))))
        #expect(!report.lines.contains { $0.contains("bearer") || $0.contains("__session") }, "\(row.what)")
    }

    static let twoCookies: [(what: String, line: String, status: Int)] = [
        ("two sessions", "Cookie: __session=COOKIE; __session=OTHER", 400),
        ("the other order", "Cookie: __session=OTHER; __session=COOKIE", 400),
        ("in two lines", "Cookie: __session=COOKIE\nCookie: __session=OTHER", 400),
        ("a session cookie after another value", "Cookie: __session=legacy; __session=COOKIE", 200),
        ("a name in another case", "Cookie: __SESSION=COOKIE", 401),
        ("a name with a prefix", "Cookie: x__session=COOKIE", 401),
        ("a value in quotes", "Cookie: __session=\"COOKIE\"", 200),
        ("a name in quotes", "Cookie: \"__session\"=COOKIE", 401),
        ("a comma for a semicolon", "Cookie: a=1, __session=COOKIE", 401),
        ("spaces around", "Cookie: a=1;   __session=COOKIE  ; b=2", 200),
        ("the same session twice", "Cookie: __session=COOKIE; a=1; __session=COOKIE", 200),
    ]

    @Test(.tags(.d17, .h12), arguments: twoCookies)
    func `different session cookies are never accepted together`(row: (what: String, line: String, status: Int)) throws
    {
        let line = row.line.replacing("OTHER", with: try scenario.cookie(.grace))
        let response = try scenario.send(RawRequest(stringLiteral: "GET /me/cookies HTTP/1.1\nHost: a\n\(line)\n\n"))
        #expect(response.status == row.status, "\(row.what): \(response.text)")
        guard let report = EchoReport(response) else { return }
        #expect(report["X-Auth-Uid"] == "alan")
        #expect(!report.lines.contains { $0.contains("eyj") && $0.hasPrefix("cookie") }, "\(row.what)")
    }

    static let otherCookies: [(sent: String, kept: [String])] = [
        ("Cookie: a=1; __session=COOKIE; b=2", ["a=1; b=2"]), ("Cookie: __session=COOKIE", []),
        ("Cookie: a=\"x; y\"; __session=COOKIE; b==; c", ["a=\"x; y\"; b==; c"]),
        ("Cookie: __session=COOKIE; __session2=z; my__session=y", ["__session2=z; my__session=y"]),
        ("Cookie: \u{FF}=\u{FE}; __session=COOKIE", ["\u{FF}=\u{FE}"]),
        (
            "Cookie: a=1; b=\"q; __session=COOKIE; c=x=y ; __session2=z; d=",
            ["a=1; b=\"q; c=x=y ; __session2=z; d="]
        ),
        ("Cookie: a=1\nCookie: __session=COOKIE\nCookie: b=2", ["a=1", "b=2"]),
    ]

    @Test(.tags(.h12), arguments: otherCookies)
    func `the session cookie is removed and other cookies keep their bytes`(sent: String, kept: [String]) throws {
        for target in ["/me/h12", "/public/h12"] {
            let text = RawRequest(stringLiteral: "GET \(target) HTTP/1.1\nHost: a\n\(sent)\n\n")
            _ = try #require(EchoReport(try scenario.send(text)))
            // The comparison uses the received bytes, because JSON cannot contain bytes that are not text.
            let request = try #require(scenario.echo.received.last)
            let expected = kept.map { String(decoding: $0.unicodeScalars.map { UInt8($0.value) }, as: UTF8.self) }
            #expect(request.values(of: "Cookie") == expected)
        }
    }

    @Test(arguments: [
        ("bEaReR TOKEN", 200), ("Bearer  TOKEN", 401), ("Bearer\tTOKEN", 401), ("BearerTOKEN", 401), ("TOKEN", 401),
    ])
    func `D-18: a credential is a scheme in any case, one space and a token`(value: String, status: Int) throws {
        let field = value.replacing("TOKEN", with: try scenario.token())
        #expect(try scenario.send(.get("/me/scheme", "Authorization: \(field)")).status == status)
    }

    @Test func `a cookie of the same name that is not a token is forwarded unchanged`() throws {
        let report = try scenario.passes(.get("/optional/cookie", "Cookie: __session=legacy; a=1"))
        #expect(report["Cookie"] == "__session=legacy; a=1")
    }

    @Test func `a public route does not verify a token`() throws {
        let report = try scenario.passes(.bearer(Tampering.payload.applied(to: scenario.token()), "/public/refused"))
        #expect(report["X-Auth-Uid"] == nil)
    }

    @Test(.tags(.g15)) func `only a verified credential identifies a user`() throws {
        let id = try scenario.token()
        let session = try scenario.cookie(.ada)
        let rows: [(what: String, field: String)] = [
            ("any text", "Cookie: __session=anything"), ("an ID token", "Cookie: __session=\(id)"),
            ("a spoilt cookie", "Cookie: __session=\(Tampering.signatureBit.applied(to: session))"),
            ("another name", "Cookie: session=\(session)"), ("in the header", "Authorization: Bearer \(session)"),
            ("any bearer", "Authorization: Bearer anything"), ("as Basic", "Authorization: Basic \(id)"),
            ("one in another field", "X-Authorization: Bearer \(id)"), ("in the query", "X-Any: \(id)"),
        ]
        for row in rows {
            let (response, count) = try scenario.forwarded { try scenario.send(.get("/me/g15?t=\(id)", row.field)) }
            #expect(response.status == 401, "\(row.what)")
            #expect(count == 0, "\(row.what)")
        }
        // Both tokens were verified and cached meanwhile. Each is accepted only in its own field.
        #expect(try scenario.send(.bearer(id, "/me/g15")).status == 200)
        #expect(try scenario.send(.cookie(session, "/me/g15")).status == 200)
        #expect(try scenario.send(.cookie(id, "/me/g15")).status == 401)
        #expect(try scenario.send(.bearer(session, "/me/g15")).status == 401)
    }
}
