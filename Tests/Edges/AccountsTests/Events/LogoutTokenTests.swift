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

    private static func denial(_ token: String) async throws -> Denial? { try await EventRig().logOut(token).denial }

    @Test func `a logout revokes the identity and its owner`() async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link])
        #expect(await rig.logOut(Self.draft().signed()).isAccepted)
        let expected = UserRecord(validSince: UnixTime(clamping: Self.now - 100))
        #expect(try await rig.store.user(Self.link.name) == expected)
        #expect(try await rig.store.user("ada") == expected)
        #expect(try await rig.store.owner(of: Self.link) == "ada")
    }

    @Test func `a logout of one session ends all sessions of its user`() async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(Self.draft().with("sid", #""s-1""#).signed()).isAccepted)
        #expect(try await rig.store.user(Self.link.name).validSince?.seconds == Self.now - 100)
    }

    @Test func `a token from a clock that is ahead revokes until now`() async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(Self.draft().with("iat", "\(Self.now + 5)").signed()).isAccepted)
        #expect(try await rig.store.user(Self.link.name).validSince?.seconds == Self.now)
    }

    @Test(arguments: [nil, "JWT", "logout+jwt", "Logout+JWT"] as [String?])
    func `every type of logout token is accepted`(type: String?) async throws {
        let token = Self.draft().withHeader("typ", type.map { "\"\($0)\"" }).signed()
        #expect(try await Self.denial(token) == nil)
    }

    @Test(arguments: [
        ("aud", #"["client-1"]"#), ("aud", #"["other","client-1"]"#), ("typ", #""Logout""#), ("sid", #""s-1""#),
        ("nbf", "\(now)"), ("exp", "\(now + 1)"), ("trace", "{}"),
    ])
    func `additional claims are accepted`(name: String, value: String) async throws {
        #expect(try await Self.denial(Self.draft().with(name, value).signed()) == nil)
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
    func `H-14: an invalid logout token is rejected`(flaw: EventFlaw) async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(flaw.change(Self.draft()).signed()).denial?.code == .invalidCredential)
        #expect(try await rig.store.user(Self.link.name) == UserRecord())
        #expect(rig.log.applied.isEmpty)
    }

    @Test(arguments: [
        "", "x", "a.b.c", TokenDraft.idToken().signed(), ProviderSample.oidc.signed(),
        draft().signed(by: TokenDraft.forgedKey),
    ])
    func `E-12: another token is rejected`(token: String) async throws {
        #expect(try await Self.denial(token)?.code == .invalidCredential)
    }

    @Test(
        arguments: [
            (nil, 599, true), (nil, 600, false), ("99999999999", 29 * 86_400 - 1, true),
            ("99999999999", 29 * 86_400, false),
        ] as [(String?, Int64, Bool)])
    func `H-14: a token is valid for ten minutes without an expiry, and for 29 days at most`(
        _ expiry: String?, _ age: Int64, _ isAccepted: Bool
    ) async throws {
        let token = Self.draft().with("exp", expiry).with("iat", "\(Self.now - age)").signed()
        #expect(try await (Self.denial(token) == nil) == isAccepted)
    }

    @Test func `a session ID alone is rejected with the reason`() async throws {
        let denial = try await Self.denial(Self.draft().with("sub", nil).with("sid", #""s-1""#).signed())
        #expect(denial?.code == .invalidCredential)
        #expect(denial?.detail?.contains("Identify the user in sub.") == true)
    }

    @Test func `a Microsoft user is identified by tenant and object`() async throws {
        let rig = try EventRig()
        #expect(await rig.logOut(Self.draft(of: .microsoft).signed()).isAccepted)
        #expect(try await rig.store.user(ProviderSample.microsoft.uid).validSince?.seconds == Self.now - 100)
    }

    @Test(arguments: ["oid", "tid"])
    func `a pairwise subject of Microsoft identifies no user`(missing: String) async throws {
        let denial = try await Self.denial(Self.draft(of: .microsoft).with(missing, nil).signed())
        #expect(denial?.code == .invalidCredential)
        #expect(denial?.detail?.contains("oid and tid") == true)
    }

    @Test func `a token of a foreign tenant is rejected`() async throws {
        let tenant = "11111111-86f1-41af-91ab-2d7cd011db47"
        let token = Self.draft(of: .microsoft).with("tid", "\"\(tenant)\"")
            .with("iss", "\"\(ProviderSample.issuer(of: tenant))\"").signed()
        #expect(try await Self.denial(token)?.code == .invalidCredential)
    }

    @Test func `a logout token needs no hosted domain`() async throws {
        let rig = try EventRig(providers: [ProviderSample.google.provider { $0.hostedDomain = "example.com" }])
        #expect(await rig.logOut(Self.draft(of: .google).signed()).isAccepted)
        let foreign = Self.draft(of: .google).with("jti", #""j-2""#).with("hd", #""evil.example""#)
        #expect(await rig.logOut(foreign.signed()).denial?.code == .invalidCredential)
    }

    @Test(arguments: [
        "", "logout_token", "token=x", "logout_token=a&logout_token=b", "logout_token=%zz", "logout_token=%ff",
    ])
    func `a body without one logout token is rejected`(body: String) async throws {
        let rig = try EventRig()
        #expect(await rig.post(Array(body.utf8), to: .backchannelLogout).denial?.code.status == 400)
    }

    @Test func `other fields of the form are ignored`() async throws {
        let rig = try EventRig()
        let body = "state=%20a+b&&logout%5Ftoken=\(Self.draft().signed())&x"
        #expect(await rig.post(Array(body.utf8), to: .backchannelLogout).isAccepted)
    }

    @Test(arguments: ["", "application/json", "text/plain", "multipart/form-data", "application/logout+jwt"])
    func `another content type is malformed`(type: String) async throws {
        let rig = try EventRig()
        let body = Array("logout_token=\(Self.draft().signed())".utf8)
        let reply = await rig.post(body, to: .backchannelLogout, contentType: type)
        #expect(reply.denial?.code == .malformedRequest)
    }
}
