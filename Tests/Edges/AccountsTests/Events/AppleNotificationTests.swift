import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

@Suite struct AppleNotificationTests {
    private static let now = EventRig.now
    private static let link = EventRig.ada
    private static let other = IdentityLink(provider: "google.com", subject: "g-1")

    /// The claim `events` as a text, which Apple sends, or as an object.
    private static func events(
        _ type: String, time: String? = "\((now - 50) * 1000 + 999)", subject: String? = #""user-1""#,
        isText: Bool = true
    ) -> String {
        let members = [
            ("type", "\"\(type)\""), ("sub", subject), ("event_time", time), ("email", #""a@example.com""#),
        ]
        let object =
            "{" + members.compactMap { name, value in value.map { "\"\(name)\":\($0)" } }.joined(separator: ",") + "}"
        return isText
            ? "\"\(object.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\\""))\""
            : object
    }

    private static func draft(_ events: String) -> TokenDraft {
        ProviderSample.apple.draft.withHeader("typ", nil).with("sub", nil).with("email", nil)
            .with("jti", #""j-1""#).with("events", events)
    }

    private static func token(_ type: String, time: String? = "\((now - 50) * 1000 + 999)") -> String {
        draft(events(type, time: time)).signed()
    }

    @Test(arguments: [true, false])
    func `a withdrawn consent revokes the identity and its owner`(isText: Bool) async throws {
        let rig = try EventRig()
        try await rig.makeAccount()
        let token = Self.draft(Self.events("consent-revoked", isText: isText)).signed()
        #expect(await rig.notify(token).isAccepted)
        let expected = UserRecord(validSince: UnixTime(clamping: Self.now - 50))
        #expect(try await rig.store.user(Self.link.name) == expected)
        #expect(try await rig.store.user("ada") == expected)
        #expect(try await rig.store.owner(of: Self.link) == "ada")
    }

    @Test(arguments: [
        ("\((now - 7) * 1000)", now - 7), ("\(now - 7)", now - 7), (nil, now - 100),
        ("\((now + 60) * 1000)", now), ("\(now + 60)", now), ("9223372036854775807", now), ("0", 0),
    ])
    func `the time of the event is used unless it is in the future`(time: String?, expected: Int64) async throws {
        let rig = try EventRig()
        #expect(await rig.notify(Self.token("consent-revoked", time: time)).isAccepted)
        #expect(try await rig.store.user(Self.link.name) == UserRecord(validSince: UnixTime(clamping: expected)))
    }

    @Test(arguments: ["account-delete", "account-deleted"])
    func `a deleted account is disabled and its link released`(type: String) async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token(type)).isAccepted)
        // The release of the link also ends sessions after the event. Credentials are compared with its time.
        let identity = try await rig.store.user(Self.link.name)
        #expect(identity.disabled && identity.validSince == UnixTime(clamping: Self.now))
        #expect(identity.credentialsSince == UnixTime(clamping: Self.now - 50))
        #expect(try await rig.store.user("ada") == UserRecord(validSince: UnixTime(clamping: Self.now - 50)))
        #expect(try await rig.store.owner(of: Self.link) == nil)
        #expect(try await rig.store.account("ada")?.links == ["google.com": "g-1"])
    }

    @Test func `the last link of a deleted account stays and is disabled`() async throws {
        let rig = try EventRig()
        try await rig.makeAccount()
        #expect(await rig.notify(Self.token("account-delete")).isAccepted)
        #expect(try await rig.store.owner(of: Self.link) == "ada")
        #expect(try await rig.store.user(Self.link.name).disabled)
    }

    @Test(arguments: ["email-enabled", "email-disabled", "something-new"])
    func `other events are accepted without effect`(type: String) async throws {
        let rig = try EventRig()
        try await rig.makeAccount("ada", [Self.link, Self.other])
        #expect(await rig.notify(Self.token(type)).isAccepted)
        #expect(try await rig.store.user(Self.link.name) == UserRecord())
        #expect(try await rig.store.user("ada") == UserRecord())
        #expect(try await rig.store.account("ada")?.links.count == 2)
        #expect(rig.log.applied.count == 1)
    }

    @Test(arguments: EventFlaw.all + EventFlaw.claim("exp", [nil]))
    func `H-14: an invalid notification is rejected`(flaw: EventFlaw) async throws {
        let rig = try EventRig()
        let token = flaw.change(Self.draft(Self.events("consent-revoked"))).signed()
        #expect(await rig.notify(token).denial?.code == .invalidCredential)
        #expect(try await rig.store.user(Self.link.name) == UserRecord())
        #expect(rig.log.applied.isEmpty)
    }

    @Test(arguments: [
        events("consent-revoked", subject: nil), events("consent-revoked", subject: "7"),
        events("consent-revoked", subject: #""""#), events("consent-revoked", time: "-1"),
        events("consent-revoked", time: #""now""#), events("consent-revoked", time: "1.5"),
        events("consent-revoked", subject: "\"\(String(repeating: "s", count: 119))\""), #"{"sub":"user-1"}"#,
        #"{"type":7,"sub":"user-1"}"#, #"{"http://schemas.openid.net/event/backchannel-logout":{}}"#,
    ])
    func `an event without a user is rejected`(events: String) async throws {
        let rig = try EventRig()
        #expect(await rig.notify(Self.draft(events).signed()).denial?.code == .invalidCredential)
    }

    @Test(arguments: [
        "", "x", "a.b.c", TokenDraft.idToken().signed(), ProviderSample.apple.signed(),
        draft(events("account-delete")).signed(by: TokenDraft.forgedKey),
        ProviderSample.google.draft.with("jti", #""j-1""#).with("events", events("account-delete")).signed(),
    ])
    func `E-12: another token is rejected`(token: String) async throws {
        let rig = try EventRig()
        #expect(await rig.notify(token).denial?.code == .invalidCredential)
        #expect(try await rig.store.user(Self.link.name) == UserRecord())
    }

    @Test func `a notification is rejected if Apple is not configured`() async throws {
        let rig = try EventRig(providers: [ProviderSample.google.provider()])
        #expect(await rig.notify(Self.token("account-delete")).denial?.code == .invalidCredential)
    }

    @Test(arguments: ["", "[]", "{}", #"{"payload":7}"#, #"{"payload":"a","payload":"b"}"#, "payload=a"])
    func `an invalid body is malformed`(body: String) async throws {
        let rig = try EventRig()
        #expect(await rig.post(Array(body.utf8)).denial?.code == .malformedRequest)
    }

    @Test(arguments: ["", "text/plain", "application/x-www-form-urlencoded", "application/secevent+jwt"])
    func `another content type is malformed`(type: String) async throws {
        let rig = try EventRig()
        let body = Array(#"{"payload":"\#(Self.token("consent-revoked"))"}"#.utf8)
        #expect(await rig.post(body, contentType: type).denial?.code == .malformedRequest)
    }
}
