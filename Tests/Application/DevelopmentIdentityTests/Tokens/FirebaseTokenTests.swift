import DevelopmentIdentity
import JOSE
import Testing

@Suite struct FirebaseTokenTests {
    private func claims(_ token: FirebaseToken) throws -> JSONValue {
        try JSONDocument(token.claims.bytes).root
    }

    @Test func `an ID token names the project and the user and is valid for an hour`() throws {
        let claims = try claims(.idToken(for: .ada, project: "p", now: noon))
        claims.expect(["iss": "https://securetoken.google.com/p", "aud": "p", "sub": "ada", "user_id": "ada"])
        claims.expect(["auth_time": .integer(noon), "iat": .integer(noon), "exp": .integer(noon + 3600)])
    }

    @Test func `a session cookie has its own issuer`() throws {
        let claims = try claims(.sessionCookie(for: .ada, project: "p", now: noon))
        claims.expect(["iss": "https://session.firebase.google.com/p", "exp": .integer(noon + 5 * 86_400)])
    }

    @Test func `the Firebase claim lists identities and the provider`() throws {
        let firebase = try claims(.idToken(for: .ada, now: noon))["firebase"]
        #expect(firebase?["sign_in_provider"]?.string == "google.com")
        #expect(firebase?["identities"]?["email"]?.elements.map(\.string) == ["ada@example.com"])
        #expect(firebase?["identities"]?["google.com"]?.count == 1)
    }

    @Test func `tenant and second factor come from the user`() throws {
        let firebase = try claims(.idToken(for: .edsger, now: noon))["firebase"]
        #expect(firebase?["tenant"]?.string == "corp-abc12")
        #expect(firebase?["sign_in_second_factor"]?.string == "totp")
    }

    @Test func `custom claims are members of the payload and replace no reserved ones`() throws {
        var user = DevelopmentUser.ada
        user.customClaims = ["role": "admin", "name": "Other", "sub": "mallory"]
        let claims = try claims(.idToken(for: user, now: noon))
        claims.expect(["role": "admin", "name": "Other", "sub": "ada"])
    }

    @Test func `a custom token is issued by a service account`() throws {
        let claims = try claims(.customToken(for: .robot, now: noon))
        #expect(claims["iss"]?.string == claims["sub"]?.string)
        claims.expect(["aud": .string(FirebaseToken.customTokenAudience), "uid": "robot"])
        #expect(claims["claims"]?["premium"]?.bool == true)
    }

    @Test func `claims can be set and removed, and have any type`() throws {
        let claims = try claims(
            FirebaseToken.idToken(for: .ada, now: noon)
                .setting("sub", to: 10).setting("aud", to: ["a", "b"]).removing("exp")
                .setting("firebase", "identities", "google.com", to: nil).removing("firebase", "sign_in_provider"))
        #expect(claims["sub"]?.integer == 10)
        #expect(claims["aud"]?.count == 2)
        #expect(claims["exp"] == nil)
        #expect(claims["firebase"]?["identities"]?["google.com"]?.kind == .null)
        #expect(claims["firebase"]?["sign_in_provider"] == nil)
    }

    @Test func `times, tenant and second factor have short forms`() throws {
        let claims = try claims(
            FirebaseToken.idToken(for: .grace, now: noon).signedIn(at: 1).issued(at: 2).expiring(at: 3)
                .inTenant("t").withSecondFactor("phone"))
        #expect(["auth_time", "iat", "exp"].map { claims[$0]?.integer } == [1, 2, 3])
        #expect(claims["firebase"]?["tenant"]?.string == "t")
        #expect(claims["firebase"]?["sign_in_second_factor"]?.string == "phone")
    }

    @Test func `a member can be written twice`() {
        var token = FirebaseToken.legacyCustomToken(for: .ada, now: noon)
        token.claims.append("iat", 1)
        #expect(token.claims.text.hasSuffix(#""iat":1700000000,"iat":1}"#))
    }

    @Test(arguments: DevelopmentUser.all)
    func `every named user is found by uid`(user: DevelopmentUser) {
        #expect(DevelopmentUser.named(user.uid) == user)
    }

    @Test func `an unknown name is a user of that uid`() {
        #expect(DevelopmentUser.named("zoe") == DevelopmentUser(uid: "zoe"))
    }
}
