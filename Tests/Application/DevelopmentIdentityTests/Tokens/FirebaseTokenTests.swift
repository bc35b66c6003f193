import DevelopmentIdentity
import JOSE
import Testing

@Suite struct FirebaseTokenTests {
    private func claims(_ token: FirebaseToken) throws -> JSONValue {
        try JSONDocument(token.claims.bytes).root
    }

    @Test func anIDTokenNamesTheProjectAndTheUser() throws {
        let claims = try claims(.idToken(for: .ada, project: "p", now: noon))
        #expect(claims["iss"]?.string == "https://securetoken.google.com/p")
        #expect(claims["aud"]?.string == "p")
        #expect(claims["sub"]?.string == "ada")
        #expect(claims["user_id"]?.string == "ada")
    }

    @Test func anIDTokenIsFreshAndGoodForAnHour() throws {
        let claims = try claims(.idToken(for: .ada, now: noon))
        #expect(claims["auth_time"]?.integer == noon)
        #expect(claims["iat"]?.integer == noon)
        #expect(claims["exp"]?.integer == noon + 3600)
    }

    @Test func aSessionCookieHasAnIssuerOfItsOwn() throws {
        let claims = try claims(.sessionCookie(for: .ada, project: "p", now: noon))
        #expect(claims["iss"]?.string == "https://session.firebase.google.com/p")
        #expect(claims["exp"]?.integer == noon + 5 * 86_400)
    }

    @Test func theFirebaseClaimListsIdentitiesAndTheProvider() throws {
        let firebase = try claims(.idToken(for: .ada, now: noon))["firebase"]
        #expect(firebase?["sign_in_provider"]?.string == "google.com")
        #expect(firebase?["identities"]?["email"]?.elements.map(\.string) == ["ada@example.com"])
        #expect(firebase?["identities"]?["google.com"]?.count == 1)
    }

    @Test func tenantAndSecondFactorComeFromTheUser() throws {
        let firebase = try claims(.idToken(for: .edsger, now: noon))["firebase"]
        #expect(firebase?["tenant"]?.string == "corp-abc12")
        #expect(firebase?["sign_in_second_factor"]?.string == "totp")
    }

    @Test func customClaimsStandAtTheTopAndCannotTakeReservedPlaces() throws {
        var user = DevelopmentUser.ada
        user.customClaims = ["role": "admin", "name": "Other", "sub": "mallory"]
        let claims = try claims(.idToken(for: user, now: noon))
        #expect(claims["role"]?.string == "admin")
        #expect(claims["name"]?.string == "Other")
        #expect(claims["sub"]?.string == "ada")
    }

    @Test func aCustomTokenIsAServiceAccounts() throws {
        let claims = try claims(.customToken(for: .robot, now: noon))
        #expect(claims["iss"]?.string == claims["sub"]?.string)
        #expect(claims["aud"]?.string == FirebaseToken.customTokenAudience)
        #expect(claims["uid"]?.string == "robot")
        #expect(claims["claims"]?["premium"]?.bool == true)
    }

    @Test func claimsCanBeSetRemovedAndOfAnyType() throws {
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

    @Test func timesTenantAndFactorHaveShortForms() throws {
        let claims = try claims(
            FirebaseToken.idToken(for: .grace, now: noon).signedIn(at: 1).issued(at: 2).expiring(at: 3)
                .inTenant("t").withSecondFactor("phone"))
        #expect(["auth_time", "iat", "exp"].map { claims[$0]?.integer } == [1, 2, 3])
        #expect(claims["firebase"]?["tenant"]?.string == "t")
        #expect(claims["firebase"]?["sign_in_second_factor"]?.string == "phone")
    }

    @Test func aMemberCanBeWrittenTwice() {
        var token = FirebaseToken.legacyCustomToken(for: .ada, now: noon)
        token.claims.append("iat", 1)
        #expect(token.claims.text.hasSuffix(#""iat":1700000000,"iat":1}"#))
    }

    @Test(arguments: DevelopmentUser.all)
    func everyNamedUserIsFoundByUid(user: DevelopmentUser) {
        #expect(DevelopmentUser.named(user.uid) == user)
    }

    @Test func anUnknownNameIsAUserOfThatUid() {
        #expect(DevelopmentUser.named("zoe") == DevelopmentUser(uid: "zoe"))
    }
}
