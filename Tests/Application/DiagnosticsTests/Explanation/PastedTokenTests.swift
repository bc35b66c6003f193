import DevelopmentIdentity
import Testing

@testable import Diagnostics

@Suite struct PastedTokenTests {
    static let token = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln"

    @Test(arguments: [
        token, " \(token)\r\n", "'\(token)'", "\"\(token)\",", "`\(token)`", "Bearer \(token)", "bearer\t\(token)",
        "Authorization: Bearer \(token)", "authorization:Bearer \(token)", "'Authorization: Bearer \(token)'",
        "Authorization: \(token)", "\"Bearer \(token)\"", "__session=\(token)", "__session=\"\(token)\";",
        "Cookie: __session=\(token)", "Cookie: a=b; __session=\(token); c=d", "cookie: other=\(token); c=d",
        "Set-Cookie: __session=\(token); Path=/; HttpOnly", "a=b; __session=\(token)",
        "eyJhbGciOiJSUzI1NiJ9.\n  eyJzdWIiOiJhIn0\r\n.c2ln", "eyJhbGciOiJSUzI1NiJ9. eyJzdWIiOiJhIn0. c2ln",
    ])
    func `a token is found in the form in which it is pasted`(pasted: String) {
        #expect(PastedToken(pasted, cookie: "__session").text == Self.token)
    }

    @Test(arguments: [
        ("gho_abc==", "gho_abc=="), ("Bearer gho_abc", "gho_abc"), ("not a token", "not a token"), ("Bearer", "Bearer"),
        ("", ""), ("'", "'"), ("Cookie: a=b; c=d", "a=b; c=d"), ("Cookie:", ""), ("=;=", "=;="),
        ("Basic eA==", "Basic eA=="),
        ("Cookie: a=\(token); b=\(token)", "a=\(token); b=\(token)"),
    ])
    func `other text is kept`(pasted: String, expected: String) {
        #expect(PastedToken(pasted, cookie: "__session").text == expected)
    }

    @Test func `the configured cookie is used`() {
        #expect(PastedToken("__session=x; sid=y", cookie: "sid").text == "y")
    }
}

@Suite struct DecodedTokenTests {
    private func decode(_ token: String) -> DecodedToken { DecodedToken(token, clock: Given.clock) }

    @Test func `claims, times and the missing checks of a token are shown`() throws {
        let decoded = decode(try Given.idToken { $0.expiring(at: Given.now + 300).signedIn(at: Given.now - 7200) })
        #expect(decoded.header?.contains("\"RS256\"") == true && decoded.payload?.contains("\"ada\"") == true)
        #expect(decoded.steps["exp"]?.detail.hasPrefix("not expired: 2027-01-15T08:05:00Z, in 5 min") == true)
        #expect(decoded.steps["auth_time"]?.detail.hasSuffix("2 h ago") == true)
        #expect(decoded.steps["kind"]?.detail.hasPrefix("a Firebase ID token of the project demo-gatehouse") == true)
        #expect(decoded.steps.filter { $0.mark == .unknown }.map(\.name) == ["signature", "iss, aud", "revocation"])
        #expect(decoded.remedy == "--firebase-project demo-gatehouse")
    }

    @Test func `an expired token is a failed step`() throws {
        let steps = decode(try Given.idToken { $0.expiring(at: Given.now) }).steps
        #expect(steps["exp"]?.mark == .failed && steps["exp"]?.detail.hasPrefix("expired: ") == true)
        let missing = decode(try Given.idToken { $0.removing("exp") }).steps["exp"]
        #expect(missing == ExplanationStep(.failed, "exp", "missing"))
    }

    @Test func `a session cookie is recognized, and another issuer needs a configuration`() throws {
        #expect(
            decode(try Given.sessionCookie()).steps["kind"]?.detail.contains("session cookie of the project") == true)
        let foreign = decode(try Given.idToken { $0.setting("iss", to: "https://as.example/'; rm -rf") })
        #expect(foreign.remedy == "--config FILE")
        #expect(foreign.steps["kind"]?.detail == "issued by \"https://as.example/'; rm -rf\", according to its iss")
        let project = decode(try Given.idToken { $0.setting("aud", to: "a; rm -rf") })
        #expect(project.remedy == "--config FILE", "only a valid project ID becomes part of a command")
    }

    @Test func `the signature is not shown`() throws {
        let token = try Given.idToken()
        let signature = try #require(token.split(separator: ".").last)
        let decoded = decode(token)
        let all = [decoded.header ?? "", decoded.payload ?? ""] + decoded.steps.map(\.detail)
        #expect(!all.joined().contains(signature.prefix(16)))
    }
}
