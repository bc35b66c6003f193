import DevelopmentIdentity
import Testing

/// Responses of account calls: they contain no input and no tokens, and never redirect.
@Suite(.accounts) struct AccountAnswerTests: SharedScenarioSuite {
    private static let posts = [
        "nonce", "sign-in", "session", "reauthenticate", "link", "unlink", "sign-out", "account/email",
        "events/apple", "events/backchannel-logout",
    ]
    private static let mark = "<script>alert(1)</script>"

    /// Request bodies with the marker in each position that accepts text.
    private static let bodies: [String] = [
        "{\"provider\":\"\(mark)\",\"id_token\":\"\(mark)\",\"nonce\":\"\(mark)\"}", "{\"pending_token\":\"\(mark)\"}",
        "{\"\(mark)\":1}", "{\"payload\":\"\(mark)\"}", mark,
        "{\"provider\":\"apple.com\",\"access_token\":\"\(mark)\"}",
        "logout_token=\(mark)", "{\"user\":{\"name\":\"\(mark)\"},\"provider\":\"apple.com\",\"id_token\":\"x\"}",
    ]

    @Test(arguments: posts) func `L-04 L-05: a response contains no input of its call and never redirects`(
        _ name: String
    )
        throws
    {
        for body in Self.bodies {
            for query in ["", "?rd=//evil.example", "?redirect_uri=/%5Cevil.example&next=%09//evil.example"] {
                let request = WireRequest.post(
                    "/.gatehouse/\(name)\(query)", "Content-Type: application/json", "X-Forwarded-Host: evil.example",
                    body: Array(body.utf8))
                let response = try scenario.send(request)
                #expect(response.status < 300 || response.status >= 400)
                #expect(response["Location"] == nil && response["Refresh"] == nil)
                #expect(!response.text.contains("script") && !response.text.contains("evil.example"))
                #expect(response["Content-Type"].map { $0.hasSuffix("json") } ?? response.body.isEmpty)
            }
        }
    }

    @Test func `L-03: the account endpoint returns no tokens`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("asker"))
        let cookie = try #require(app.session)
        let answer = try app.get("/.gatehouse/auth")
        #expect(answer.json?["token"]?["user_id"] == answer.json?["uid"])
        #expect(answer["X-Content-Type-Options"] == "nosniff")
        #expect(answer["Cache-Control"] == "no-store" && answer["Access-Control-Allow-Origin"] == nil)
        for part in cookie.split(separator: ".") { #expect(!answer.text.contains(part)) }
        #expect(!answer.text.contains("eyJ"))
        #expect(try scenario.send(.get("/.gatehouse/auth")).text == "null")
    }

    @Test func `E-20: a missing, foreign or used nonce is rejected`() throws {
        var app = AccountApp(scenario)
        let nonce = try app.nonce()
        let token = try app.idToken(.apple, of: .named("nonces"), nonce)
        let call: JSON = ["provider": "apple.com", "id_token": .string(token)]
        let wrong: [JSON] = [
            call, call.with("nonce", .string(nonce.hash)), call.with("nonce", .string(nonce.raw.uppercased() + "x")),
            call.with("nonce", .string(try app.nonce().raw)),
        ]
        for body in wrong { expectDenial(try app.call("sign-in", body), 400, "auth/missing-or-invalid-nonce") }
        let right = call.with("nonce", .string(nonce.raw))
        #expect(try app.call("sign-in", right).status == 200)
        let replayed = try app.call("sign-in", right)
        expectDenial(replayed, 400, "auth/missing-or-invalid-nonce")
        // A token without a nonce: the token itself can be used once.
        let google = try app.idToken(.oidc("corp"), of: .named("nonces"), nil)
        let plain: JSON = ["provider": "oidc.corp", "id_token": .string(google)]
        #expect(try app.call("sign-in", plain).status == 200)
        let duplicate = try app.call("sign-in", plain)
        expectDenial(duplicate, 400, "auth/missing-or-invalid-nonce")
        #expect(duplicate.json?["detail"]?.stringValue?.hasPrefix("Duplicate credential") == true)
    }

    @Test func `I-11: a session of a token without a sign-in time is recent only after a proof`() throws {
        var app = AccountApp(scenario)
        try app.signIn(.oidc("corp"), as: .named("timeless")) { $0.removing("auth_time").issued(at: unixNow() - 3600) }
        let old = try app.get("/recent/x")
        #expect(old.status == 401, "\(old.text)")
        let proof = try app.call("reauthenticate", app.proof(.oidc("corp"), of: .named("timeless")))
        #expect(proof.status == 200, "\(proof.text)")
        #expect(try app.get("/recent/x").status == 200)
    }

    @Test func `H-14: an incomplete logout token is rejected`() throws {
        let answer = try scenario.send(
            .post(
                "/.gatehouse/events/backchannel-logout", "Content-Type: application/x-www-form-urlencoded",
                body: Array("logout_token=eyJhbGciOiJub25lIn0.e30.".utf8)))
        #expect(answer.status == 400)
    }

    @Test func `an invalid call is rejected with its reason`() throws {
        var app = AccountApp(scenario)
        let rows: [(WireRequest, Int)] = [
            (.get("/.gatehouse/sign-in"), 405), (.post("/.gatehouse/auth"), 405), (.get("/.gatehouse/unknown"), 404),
            (.post("/.gatehouse/sign-in/", body: []), 404), (.post("/.gatehouse/sign-in", body: Array("{}".utf8)), 400),
            (.post("/.gatehouse/link", body: []), 401),
            (.post("/.gatehouse/sign-in", body: [UInt8](repeating: 0x20, count: 40_000)), 413),
        ]
        for (request, status) in rows {
            #expect(try scenario.send(request).status == status, "\(request.method) \(request.target)")
        }
        let unknown = try app.call("sign-in", ["provider": "apple.com", "id_token": "x", "extra": 1])
        expectDenial(unknown, 400, "request/malformed")
        #expect(!unknown.text.contains("extra"))
    }
}
