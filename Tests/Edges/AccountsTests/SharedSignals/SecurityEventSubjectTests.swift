import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The subjects of security events.
@Suite struct SecurityEventSubjectTests {
    private static let identity = SecurityEventRig.link.name
    private static let revoked = SecurityEventRig.now - 100
    private static let user = SecurityEventRig.subject
    private static let email = #"{"format":"email","email":"ADA@corp.example"}"#

    private static func rig() async throws -> SecurityEventRig {
        let rig = try SecurityEventRig {
            $0.emailDomains = ["corp.example"]
            $0.criticalMembers = ["user", "session", "planet"]
        }
        try await rig.makeAccount(email: "ada@corp.example")
        return rig
    }

    @Test(arguments: [
        user,
        #"{"format":"iss_sub","iss":"https://id.corp.example/","sub":"user-1"}"#,
        #"{"subject_type":"iss-sub","iss":"https://id.corp.example","sub":"user-1"}"#,
        #"{"subject_type":"id_token_claims","iss":"https://id.corp.example","sub":"user-1","email":"x"}"#,
        #"{"format":"complex","user":\#(user),"session":{"format":"opaque","id":"s"}}"#,
        #"{"user":\#(user),"device":{"format":"opaque","id":"d"},"tenant":{"format":"opaque","id":"t"}}"#,
        #"{"format":"complex","user":{"format":"aliases","identifiers":[\#(user)]}}"#,
        #"{"format":"aliases","identifiers":[{"format":"opaque","id":"x"},\#(user)]}"#,
        email, #"{"format":"account","uri":"acct:ada@corp.example"}"#,
    ])
    func `a subject names the user`(subject: String) async throws {
        let rig = try await Self.rig()
        #expect(await rig.push(SecurityEventRig.sessionRevoked.with("sub_id", subject)).isStored)
        #expect(try await rig.revoked("ada") == Self.revoked)
        #expect(rig.counts == ["corp session-revoked applied 1"])
    }

    @Test func `a subject in the event is accepted, as Google writes it`() async throws {
        let rig = try await Self.rig()
        let token = SecurityEventRig.token(
            "risc/event-type/sessions-revoked", #"{"subject":\#(Self.user)}"#, subject: nil)
        #expect(await rig.push(token).isStored)
        #expect(try await rig.revoked("ada") == Self.revoked)
    }

    @Test func `all aliases are concerned`() async throws {
        let rig = try await Self.rig()
        let other = #"{"format":"iss_sub","iss":"https://id.corp.example","sub":"user-2"}"#
        let subject = #"{"format":"aliases","identifiers":[\#(other),\#(Self.email)]}"#
        #expect(await rig.push(SecurityEventRig.sessionRevoked.with("sub_id", subject)).isStored)
        #expect(try await rig.revoked("ada") == Self.revoked)
        #expect(try await rig.revoked("oidc.corp:user-2") == Self.revoked)
    }

    @Test(arguments: [
        #"{"format":"iss_sub","iss":"https://accounts.google.com","sub":"user-1"}"#,
        #"{"format":"iss_sub","iss":"\#(SecurityEventRig.issuer)","sub":"user-1"}"#,
        #"{"format":"iss_sub","iss":"https://id.corp.example.evil","sub":"user-1"}"#,
        #"{"format":"iss_sub","iss":"https://id.corp.example","sub":"\#(String(repeating: "s", count: 256))"}"#,
        #"{"format":"email","email":"ada@other.example"}"#, #"{"format":"email","email":"ada@sub.corp.example"}"#,
        #"{"format":"email","email":"nobody@corp.example"}"#, #"{"format":"email","email":"ada"}"#,
        #"{"format":"email","email":"\#u{212A}@corp.example"}"#,
        #"{"format":"account","uri":"https://corp.example/ada"}"#,
        #"{"format":"account","uri":"acct:ada%40x@corp.example"}"#,
        #"{"format":"phone_number","phone_number":"+12065550100"}"#, #"{"format":"opaque","id":"user-1"}"#,
        #"{"format":"jwt_id","iss":"https://id.corp.example","jti":"x"}"#, #"{"format":"did","url":"did:a:b"}"#,
        #"{"format":"complex","device":{"format":"opaque","id":"d"}}"#,
        #"{"format":"aliases","identifiers":[{"format":"opaque","id":"x"}]}"#,
    ])
    func `O-33: a subject that the transmitter may not name has no effect`(subject: String) async throws {
        let rig = try await Self.rig()
        #expect(await rig.push(SecurityEventRig.sessionRevoked.with("sub_id", subject)).isStored)
        #expect(try await rig.store.user("ada") == UserRecord())
        #expect(try await rig.store.user(Self.identity) == UserRecord())
        #expect(rig.counts == ["corp session-revoked unresolved 1"])
        #expect(rig.log.lines.count == 1 && rig.log.lines[0].hasPrefix("warning event not applied"))
    }

    @Test func `an unknown critical member discards the event`() async throws {
        let rig = try await Self.rig()
        let critical = #"{"format":"complex","user":\#(Self.user),"planet":{"format":"opaque","id":"mars"}}"#
        #expect(await rig.push(SecurityEventRig.sessionRevoked.with("sub_id", critical)).isStored)
        #expect(try await rig.store.user("ada") == UserRecord())
        #expect(rig.counts == ["corp session-revoked discarded 1"])
        let uncritical = #"{"format":"complex","user":\#(Self.user),"moon":{"format":"opaque","id":"luna"}}"#
        let token = SecurityEventRig.token("caep/event-type/session-revoked", subject: uncritical, id: "j-2")
        #expect(await rig.push(token).isStored)
        #expect(try await rig.revoked("ada") == Self.revoked)
    }

    @Test(arguments: ["application", "tenant", "org_unit", "group"])
    func `an event about a part of the user disables nothing`(member: String) async throws {
        let rig = try await Self.rig()
        let subject = #"{"format":"complex","user":\#(Self.user),"\#(member)":{"format":"opaque","id":"x"}}"#
        for event in ["account-disabled", "account-purged"] {
            let token = SecurityEventRig.token("risc/event-type/\(event)", subject: subject, id: event)
            #expect(await rig.push(token).isStored)
        }
        let record = UserRecord(validSince: UnixTime(clamping: Self.revoked))
        #expect(try await rig.store.user(Self.identity) == record)
        let critical = try SecurityEventRig(rig.store) { $0.criticalMembers = [member] }
        #expect(await critical.push(SecurityEventRig.sessionRevoked.with("sub_id", subject)).isStored)
        #expect(critical.counts == ["corp session-revoked discarded 1"])
    }

    @Test func `an event about an earlier owner of an address has no effect`() async throws {
        let rig = try await Self.rig()
        let payload = #"{"event_timestamp":0}"#
        let token = SecurityEventRig.token("risc/event-type/identifier-recycled", payload, subject: Self.email)
        #expect(await rig.push(token).isStored)
        #expect(try await rig.store.account("ada")?.email == "ada@corp.example")
        #expect(rig.counts == ["corp identifier-recycled unresolved 1"])
    }

    @Test(arguments: [
        nil, "null", "7", #""user-1""#, "[]", #"{"format":"iss_sub"}"#, #"{"format":"iss_sub","iss":"i","sub":""}"#,
        #"{"format":"iss_sub","iss":"i","sub":7}"#, #"{"format":"email"}"#, #"{"format":"account"}"#,
        #"{"format":"aliases"}"#, #"{"format":"aliases","identifiers":[]}"#,
        #"{"format":"aliases","identifiers":["x"]}"#,
        #"{"format":"aliases","identifiers":[{"format":"aliases","identifiers":[]}]}"#,
        #"{"format":"aliases","identifiers":[\#(Array(repeating: user, count: 17).joined(separator: ","))]}"#,
        #"{"format":"complex","user":"x"}"#, #"{"format":"complex","user":{"user":{}}}"#,
        #"{"user":{"format":"complex","user":\#(user)}}"#,
    ])
    func `a malformed subject is rejected`(subject: String?) async throws {
        let rig = try await Self.rig()
        #expect(await rig.push(SecurityEventRig.sessionRevoked.with("sub_id", subject)).rejection == .invalidRequest)
        #expect(try await rig.store.user("ada") == UserRecord())
    }
}
