import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// The effects of all types of security events.
@Suite struct SecurityEventEffectTests {
    private static let now = SecurityEventRig.now
    private static let identity = SecurityEventRig.link.name

    /// An event, by the end of its URI, and its members.
    struct Case: Sendable, CustomTestStringConvertible {
        let uri: String
        let payload: String
        var testDescription: String { "\(uri) \(payload)" }

        init(_ uri: String, _ payload: String = "{}") {
            self.uri = uri
            self.payload = payload
        }

        var token: TokenDraft { SecurityEventRig.token(uri, payload) }
    }

    static let revoking: [Case] = [
        Case("caep/event-type/session-revoked"), Case("caep/event-type/token-claims-change", #"{"claims":{"r":1}}"#),
        Case("caep/event-type/credential-change", #"{"credential_type":"password","change_type":"update"}"#),
        Case("caep/event-type/credential-change", #"{"credential_type":"fido2-roaming","change_type":"delete"}"#),
        Case("caep/event-type/credential-change", #"{"credential_type":"new-kind","change_type":"revoke"}"#),
        Case("risc/event-type/sessions-revoked"), Case("risc/event-type/account-credential-change-required"),
        Case("risc/event-type/credential-compromise", #"{"credential_type":"password"}"#),
        Case("oauth/event-type/tokens-revoked"),
    ]

    @Test(arguments: revoking) func `an event revokes the identity and its owner`(event: Case) async throws {
        let rig = try SecurityEventRig()
        try await rig.makeAccount()
        #expect(await rig.push(event.token).isStored)
        let expected = UserRecord(validSince: UnixTime(clamping: Self.now - 100))
        #expect(try await rig.store.user(Self.identity) == expected)
        #expect(try await rig.store.user("ada") == expected)
        #expect(try await rig.store.owner(of: SecurityEventRig.link) == "ada")
        #expect(rig.log.applied.count == 1)
    }

    static let risks: [Case] = [
        Case("caep/event-type/assurance-level-change", #"{"current_level":"nist-aal1","change_direction":"decrease"}"#),
        Case("caep/event-type/assurance-level-change", #"{"current_level":"nist-aal1"}"#),
        Case("caep/event-type/device-compliance-change", #"{"current_status":"not-compliant"}"#),
        Case("caep/event-type/risk-level-change", #"{"current_level":"HIGH","principal":"USER"}"#),
        Case("caep/event-type/risk-level-change", #"{"current_level":"MEDIUM"}"#),
    ]

    @Test(arguments: risks) func `an event about a risk revokes only if configured`(event: Case) async throws {
        let logging = try SecurityEventRig()
        #expect(await logging.push(event.token).isStored)
        #expect(try await logging.revoked(Self.identity) == nil)
        let revoking = try SecurityEventRig {
            $0.assuranceLevelChange = .revoke
            $0.deviceComplianceChange = .revoke
            $0.riskLevelChange = .revoke
        }
        #expect(await revoking.push(event.token).isStored)
        #expect(try await revoking.revoked(Self.identity) == Self.now - 100)
    }

    static let logged: [Case] = [
        Case("caep/event-type/assurance-level-change", #"{"change_direction":"increase"}"#),
        Case("caep/event-type/device-compliance-change", #"{"current_status":"compliant"}"#),
        Case("caep/event-type/risk-level-change", #"{"current_level":"LOW"}"#),
        Case("caep/event-type/credential-change", #"{"credential_type":"password","change_type":"create"}"#),
        Case("caep/event-type/credential-change", #"{"credential_type":"phone-sms","change_type":"delete"}"#),
        Case("caep/event-type/session-established"), Case("caep/event-type/session-presented"),
        Case("risc/event-type/account-enabled"), Case("risc/event-type/opt-in"),
        Case("risc/event-type/opt-out-initiated"), Case("risc/event-type/opt-out-cancelled"),
        Case("risc/event-type/opt-out-effective"), Case("risc/event-type/recovery-activated"),
        Case("risc/event-type/recovery-information-changed"), Case("oauth/event-type/token-revoked"),
        Case("risc/event-type/verification", #"{"state":"s"}"#), Case("ssf/event-type/verification"),
        Case("caep/event-type/account-purged"), Case("risc/event-type/session-revoked"), Case("caep/event-type/other"),
    ]

    @Test(arguments: logged) func `an event without effect is logged once`(event: Case) async throws {
        let rig = try SecurityEventRig {
            $0.assuranceLevelChange = .revoke
            $0.deviceComplianceChange = .revoke
            $0.riskLevelChange = .revoke
        }
        try await rig.makeAccount()
        #expect(await rig.push(event.token).isStored)
        #expect(await rig.push(event.token).isStored)
        #expect(try await rig.store.user(Self.identity) == UserRecord())
        #expect(try await rig.store.user("ada") == UserRecord())
        #expect(rig.log.lines.count == 1 && rig.log.lines[0].hasPrefix("notice event received"))
    }

    @Test func `a disabled account ends all sessions, and its identity cannot sign in`() async throws {
        let rig = try SecurityEventRig()
        try await rig.makeAccount([SecurityEventRig.link, .google("g-1")])
        let session = try await rig.store.beginSession("ada", at: Self.now)
        #expect(await rig.push(Case("risc/event-type/account-disabled", #"{"reason":"hijacking"}"#).token).isStored)
        #expect(try await rig.store.user(Self.identity).disabled)
        #expect(try await rig.revoked("ada") == session.started.seconds)
        #expect(try await !rig.store.user("ada").disabled)
        #expect(try await rig.store.owner(of: SecurityEventRig.link) == "ada")
    }

    @Test func `a purged account is also unlinked`() async throws {
        let rig = try SecurityEventRig()
        try await rig.makeAccount([SecurityEventRig.link, .google("g-1")])
        #expect(await rig.push(Case("risc/event-type/account-purged").token).isStored)
        #expect(try await rig.store.user(Self.identity).disabled)
        #expect(try await rig.revoked("ada") != nil)
        #expect(try await rig.store.owner(of: SecurityEventRig.link) == nil)
    }

    @Test(arguments: ["identifier-changed", "identifier-recycled"])
    func `an address that belongs to another user leaves its account`(event: String) async throws {
        let rig = try SecurityEventRig { $0.emailDomains = ["example.com"] }
        try await rig.makeAccount(email: "ada@example.com")
        let subject = #"{"format":"email","email":"Ada@example.com"}"#
        let token = SecurityEventRig.token(
            "risc/event-type/\(event)", #"{"new-value":"new@example.com"}"#, subject: subject)
        #expect(await rig.push(token).isStored)
        #expect(try await rig.store.uid(ofEmail: "ada@example.com") == nil)
        #expect(try await rig.store.account("ada")?.email == nil)
        #expect(try await rig.store.owner(of: SecurityEventRig.link) == "ada")
        let record = try await rig.store.user("ada")
        #expect(record.validSince != nil && record.credentialsSince == 0, "sessions may state the address")
        #expect(rig.log.applied == ["notice event applied event=\(event) request_id=r-1 transmitter=corp uid=ada"])
    }

    @Test(arguments: [
        ("enabled", "notice"), ("paused", "warning"), ("disabled", "warning"),
    ])
    func `a change of the stream is reported`(status: String, level: String) async throws {
        let rig = try SecurityEventRig()
        let subject = #"{"format":"opaque","id":"stream-1"}"#
        let token = SecurityEventRig.token(
            "ssf/event-type/stream-updated", #"{"status":"\#(status)","reason":"r"}"#, subject: subject)
        #expect(await rig.push(token).isStored)
        #expect(
            rig.log.lines == [
                "\(level) event stream changed event=stream-updated request_id=r-1 status=\(status) transmitter=corp"
            ])
        #expect(rig.counts == ["corp stream-updated logged 1"])
    }

    @Test(arguments: [
        (#"{"event_timestamp":1600000000}"#, 1_600_000_000), (#"{"event_timestamp":1600000000123}"#, 1_600_000_000),
        (#"{"event_timestamp":99999999999}"#, now), ("{}", now - 100),
    ])
    func `the time of the event decides, and a time in the future is now`(payload: String, time: Int64) async throws {
        let rig = try SecurityEventRig()
        #expect(await rig.push(Case("caep/event-type/session-revoked", payload).token).isStored)
        #expect(try await rig.revoked(Self.identity) == time)
    }

    @Test func `a user who signed in after the event stays signed in`() async throws {
        let rig = try SecurityEventRig()
        try await rig.makeAccount()
        let session = try await rig.store.beginSession("ada", at: Self.now)
        #expect(await rig.push(SecurityEventRig.sessionRevoked).isStored)
        let since = try #require(try await rig.revoked("ada"))
        #expect(since < session.started.seconds)
    }

    @Test func `an event of a Firebase user revokes the uid`() async throws {
        let rig = try SecurityEventRig { $0.subjects = .firebase }
        for issuer in ["https://securetoken.google.com/my-app", SecurityEventRig.issuer] {
            let subject = #"{"format":"iss_sub","iss":"\#(issuer)","sub":"uid-1"}"#
            let token = SecurityEventRig.token("risc/event-type/account-disabled", subject: subject, id: issuer)
            #expect(await rig.push(token).isStored)
        }
        #expect(try await rig.store.user("uid-1").disabled)
        #expect(rig.log.applied.count == 2)
    }

    @Test func `an event of a Firebase project cannot name an identity of a provider`() async throws {
        let rig = try SecurityEventRig { $0.subjects = .firebase }
        let subject = #"{"format":"iss_sub","iss":"\#(SecurityEventRig.issuer)","sub":"oidc.corp:user-1"}"#
        #expect(await rig.push(SecurityEventRig.sessionRevoked.with("sub_id", subject)).isStored)
        #expect(try await rig.store.user(Self.identity) == UserRecord())
        #expect(rig.counts == ["corp session-revoked unresolved 1"])
    }
}
