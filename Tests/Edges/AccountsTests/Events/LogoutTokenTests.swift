import GatewayConfiguration
import GatewayCore
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

@Suite struct LogoutTokenTests {
    private static let now = EventRig.now
    private static let event = #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#
    private static let link = IdentityLink(provider: "oidc.corp", subject: "user-1")

    private static func draft(of sample: ProviderSample = .oidc) -> TokenDraft {
        sample.draft.withHeader("typ", #""logout+jwt""#).with("email", nil).with("jti", #""j-1""#)
            .with("events", event).with("exp", "\(now + 120)")
    }

    private static func refusal(_ token: String) async throws -> Denial? {
        try await EventRig().logOut(token).refusal
    }

    @Test func aLogoutRevokesTheIdentityAndItsOwner() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link])
        #expect(await rig.logOut(Self.draft().signed()).isAccepted)
        let expected = UserRecord(validSince: UnixTime(clamping: Self.now - 100))
        #expect(try await rig.store.user(Self.link.name) == expected)
        #expect(try await rig.store.user("ada") == expected)
        #expect(try await rig.store.owner(of: Self.link) == "ada")
    }

    @Test func aLogoutOfASessionEndsAllOfItsUser() async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(Self.draft().with("sid", #""s-1""#).signed()).isAccepted)
        #expect(try await rig.store.user(Self.link.name).validSince?.seconds == Self.now - 100)
    }

    @Test func aTokenFromAClockThatIsAheadRevokesUntilNow() async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(Self.draft().with("iat", "\(Self.now + 5)").signed()).isAccepted)
        #expect(try await rig.store.user(Self.link.name).validSince?.seconds == Self.now)
    }

    @Test(arguments: [nil, "JWT", "logout+jwt", "Logout+JWT"] as [String?])
    func theTypesThatLogoutTokensHaveAreTaken(_ type: String?) async throws {
        let token = Self.draft().withHeader("typ", type.map { "\"\($0)\"" }).signed()
        #expect(try await Self.refusal(token) == nil)
    }

    @Test(arguments: [
        ("aud", #"["client-1"]"#), ("aud", #"["other","client-1"]"#), ("typ", #""Logout""#), ("sid", #""s-1""#),
        ("nbf", "\(now)"), ("exp", "\(now + 1)"), ("trace", "{}"),
    ])
    func whatProvidersWriteBesidesIsTaken(_ name: String, _ value: String) async throws {
        #expect(try await Self.refusal(Self.draft().with(name, value).signed()) == nil)
    }

    @Test(
        arguments: EventFlaw.all + EventFlaw.header("typ", [#""secevent+jwt""#])
            + EventFlaw.claim("nonce", ["null", #""n""#, "7"]) + EventFlaw.claim("sub", [nil, "7", #""""#])
            + EventFlaw.claim("sid", ["null", "7"])
            + EventFlaw.claim(
                "events",
                [
                    #"{"https://schemas.openid.net/event/backchannel-logout":{}}"#,
                    #"{"http://schemas.openid.net/event/backchannel-logout":true}"#,
                    #"{"http://schemas.openid.net/event/backchannel-logout":"{}"}"#,
                    #"["http://schemas.openid.net/event/backchannel-logout"]"#,
                    #""{\"http://schemas.openid.net/event/backchannel-logout\":{}}""#,
                    #"{"type":"consent-revoked","sub":"user-1"}"#,
                ]))
    func h14ALogoutTokenThatIsNotAsItShouldBeIsRefused(_ flaw: EventFlaw) async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(flaw.change(Self.draft()).signed()).refusal?.code == .invalidCredential)
        #expect(try await rig.store.user(Self.link.name) == UserRecord())
        #expect(rig.log.taken.isEmpty)
    }

    @Test(arguments: ["", "x", "a.b.c", TokenDraft.idToken().signed(), ProviderSample.oidc.signed()])
    func e12AnotherTokenIsRefused(_ token: String) async throws {
        #expect(try await Self.refusal(token)?.code == .invalidCredential)
    }

    @Test func aForgedTokenIsRefused() async throws {
        #expect(try await Self.refusal(Self.draft().signed(by: TokenDraft.forgedKey))?.code == .invalidCredential)
    }

    @Test(arguments: [(599, true), (600, false)] as [(Int64, Bool)])
    func h14WithoutAnExpiryATokenCountsForTenMinutes(_ age: Int64, _ isTaken: Bool) async throws {
        let token = Self.draft().with("exp", nil).with("iat", "\(Self.now - age)").signed()
        #expect(try await (Self.refusal(token) == nil) == isTaken)
    }

    @Test(arguments: [(29 * 86_400 - 1, true), (29 * 86_400, false)] as [(Int64, Bool)])
    func h14NoTokenCountsForLongerThanItIsRemembered(_ age: Int64, _ isTaken: Bool) async throws {
        let token = Self.draft().with("exp", "99999999999").with("iat", "\(Self.now - age)").signed()
        #expect(try await (Self.refusal(token) == nil) == isTaken)
    }

    @Test func aSessionIDAloneIsRefusedWithTheReason() async throws {
        let refusal = try await Self.refusal(Self.draft().with("sub", nil).with("sid", #""s-1""#).signed())
        #expect(refusal?.code == .invalidCredential)
        #expect(refusal?.detail?.contains("sid alone") == true)
    }

    @Test func microsoftsUsersAreNamedByTenantAndObject() async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(Self.draft(of: .microsoft).signed()).isAccepted)
        #expect(try await rig.store.user(ProviderSample.microsoft.uid).validSince?.seconds == Self.now - 100)
    }

    @Test(arguments: ["oid", "tid"])
    func microsoftsPairwiseSubjectNamesNobody(_ missing: String) async throws {
        let refusal = try await Self.refusal(Self.draft(of: .microsoft).with(missing, nil).signed())
        #expect(refusal?.code == .invalidCredential)
        #expect(refusal?.detail?.contains("oid and tid") == true)
    }

    @Test func aTokenOfAForeignTenantIsRefused() async throws {
        let tenant = "11111111-86f1-41af-91ab-2d7cd011db47"
        let token = Self.draft(of: .microsoft).with("tid", "\"\(tenant)\"")
            .with("iss", "\"\(ProviderSample.issuer(of: tenant))\"").signed()
        #expect(try await Self.refusal(token)?.code == .invalidCredential)
    }

    @Test func aDomainThatIDTokensMustNameNeedNotBeInALogoutToken() async throws {
        let rig = try EventRig(providers: [ProviderSample.google.provider { $0.hostedDomain = "example.com" }])
        #expect(await rig.logOut(Self.draft(of: .google).signed()).isAccepted)
        let foreign = Self.draft(of: .google).with("jti", #""j-2""#).with("hd", #""evil.example""#)
        #expect(await rig.logOut(foreign.signed()).refusal?.code == .invalidCredential)
    }

    @Test(arguments: [
        "", "logout_token", "token=x", "logout_token=a&logout_token=b", "logout_token=%zz", "logout_token=%ff",
    ])
    func aBodyThatIsNoLogoutIsRefused(_ body: String) async throws {
        let rig = try EventRig()
        #expect(await rig.post(Array(body.utf8), to: .backchannelLogout).refusal?.code.status == 400)
    }

    @Test func otherFieldsOfTheFormAreIgnored() async throws {
        let rig = try EventRig()
        let body = "state=%20a+b&&logout%5Ftoken=\(Self.draft().signed())&x"
        #expect(await rig.post(Array(body.utf8), to: .backchannelLogout).isAccepted)
    }

    @Test(arguments: ["", "application/json", "text/plain", "multipart/form-data", "application/logout+jwt"])
    func anotherContentTypeIsMalformed(_ type: String) async throws {
        let rig = try EventRig()
        let body = Array("logout_token=\(Self.draft().signed())".utf8)
        let reply = await rig.post(body, to: .backchannelLogout, contentType: type)
        #expect(reply.refusal?.code == .malformedRequest)
    }
}
