import GatewayConfiguration
import GatewayCore
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Blocks by security events, and records of users unknown to the store.
@Suite struct SecurityEventBlockTests {
    private static let now = SecurityEventRig.now
    private static let identity = SecurityEventRig.link.name
    private static let day: Int64 = 86_400

    private static func token(
        _ event: String, of subject: String = "user-1", at time: Int64 = now - 100
    ) -> TokenDraft {
        let payload = #"{"event_timestamp":\#(time)}"#
        return SecurityEventRig.token(
            "risc/event-type/\(event)", payload, subject: SecurityEventRig.makeSubject(subject),
            id: "\(event) \(subject) \(time)")
    }

    @Test func `an enabled account can sign in again, and its revocation stays`() async throws {
        let rig = try SecurityEventRig()
        try await rig.makeAccount()
        #expect(await rig.push(Self.token("account-disabled", at: Self.now - 90)).isStored)
        #expect(await rig.push(Self.token("account-enabled", at: Self.now - 91)).isStored)
        #expect(try await rig.store.user(Self.identity).disabled, "an event of before the block")
        #expect(await rig.push(Self.token("account-enabled", at: Self.now - 80)).isStored)
        #expect(try await rig.store.user(Self.identity) == UserRecord(validSince: UnixTime(clamping: Self.now - 90)))
        #expect(
            rig.counts == [
                "corp account-disabled applied 1", "corp account-enabled applied 1", "corp account-enabled logged 1",
            ])
    }

    @Test func `O-33: an event lifts no block of another transmitter, of an operator, or of a deletion`() async throws {
        let rig = try SecurityEventRig()
        let other = try SecurityEventRig(rig.store, id: "other")
        #expect(await rig.push(Self.token("account-disabled")).isStored)
        #expect(await other.push(Self.token("account-enabled", at: Self.now)).isStored)
        #expect(try await rig.store.user(Self.identity).disabled)
        try await rig.store.setDisabled(Self.identity, true)
        #expect(await rig.push(Self.token("account-enabled", at: Self.now - 1)).isStored)
        #expect(try await rig.store.user(Self.identity).disabled)
        #expect(await rig.push(Self.token("account-purged", of: "user-2")).isStored)
        #expect(await rig.push(Self.token("account-enabled", of: "user-2")).isStored)
        #expect(try await rig.store.user("oidc.corp:user-2").disabled)
        #expect(rig.counts.contains("corp account-enabled logged 2"))
    }

    @Test func `O-33: random subjects fill the places of their transmitter only`() async throws {
        let rig = try SecurityEventRig { $0.unknownUsers = 3 }
        try await rig.makeAccount()
        for number in 1...3 {
            #expect(await rig.push(Self.token("sessions-revoked", of: "random-\(number)")).isStored)
        }
        let refused = await rig.push(Self.token("account-disabled", of: "random-4")).denial
        #expect(refused?.code == .overloaded && refused?.retryAfter == 300)
        #expect(try await rig.store.user("oidc.corp:random-4") == UserRecord())
        #expect(rig.counts.contains("corp  full 1"))
        #expect(rig.log.lines.contains { $0.hasPrefix("warning event refused") && $0.contains("unknown_users") })
        // Known users, users with a place, and events that add no record.
        #expect(await rig.push(Self.token("account-disabled")).isStored)
        #expect(await rig.push(Self.token("account-disabled", of: "random-2")).isStored)
        #expect(await rig.push(Self.token("account-enabled", of: "random-4")).isStored)
        #expect(try await rig.store.user(Self.identity).disabled)
        #expect(try await rig.store.user("oidc.corp:random-2").disabled)
        // Another transmitter has its own places. The rejected event was not marked as received.
        let other = try SecurityEventRig(rig.store, id: "other")
        #expect(await other.push(Self.token("account-disabled", of: "random-4")).isStored)
        #expect(try await rig.store.user("oidc.corp:random-4").disabled)
    }

    @Test func `the record of an unknown identity ends after 400 days, unless its user appears`() async throws {
        let rig = try SecurityEventRig { $0.unknownUsers = 2 }
        for user in ["stays-away", "comes"] {
            #expect(await rig.push(Self.token("account-disabled", of: user)).isStored)
        }
        _ = try await rig.store.beginSession("oidc.corp:comes", at: Self.now)
        let end = Self.now + 400 * Self.day
        _ = try await rig.store.purge(now: end - 1)
        #expect(try await rig.store.user("oidc.corp:stays-away").disabled)
        #expect(await rig.push(Self.token("sessions-revoked", of: "another")).denial != nil)
        _ = try await rig.store.purge(now: end)
        #expect(try await rig.store.user("oidc.corp:stays-away") == UserRecord())
        #expect(try await rig.store.user("oidc.corp:comes").disabled)
        #expect(await rig.push(Self.token("sessions-revoked", of: "another")).isStored)
    }

    @Test func `the record of a Firebase user does not end, because Firebase renews tokens`() async throws {
        let rig = try SecurityEventRig {
            $0.subjects = .firebase
            $0.unknownUsers = 1
        }
        let event = { (uid: String) in
            let subject = #"{"format":"iss_sub","iss":"\#(SecurityEventRig.issuer)","sub":"\#(uid)"}"#
            return SecurityEventRig.token("caep/event-type/session-revoked", subject: subject, id: uid)
        }
        #expect(await rig.push(event("uid-1")).isStored)
        _ = try await rig.store.purge(now: Self.now + 4_000 * Self.day)
        #expect(try await rig.revoked("uid-1") != nil)
        #expect(await rig.push(event("uid-2")).denial?.code == .overloaded)
    }

    @Test func `an event of a Firebase user is written back only by the transmitter's choice`() async throws {
        for isWrittenBack in [false, true] {
            let rig = try SecurityEventRig {
                $0.subjects = .firebase
                $0.writeBack = isWrittenBack
            }
            rig.store.writeBack.set(
                WriteBackSwitch.Policy(
                    limit: 10, target: { _ in WriteBackTarget(project: "my-app", tenant: nil) }, added: {}))
            let subject = #"{"format":"iss_sub","iss":"\#(SecurityEventRig.issuer)","sub":"uid-1"}"#
            for event in ["account-disabled", "account-enabled"] {
                let token = SecurityEventRig.token("risc/event-type/\(event)", subject: subject, id: event)
                #expect(await rig.push(token).isStored)
            }
            let poll = try await rig.store.pollWriteBacks(by: "a", lease: 60, limit: 10)
            #expect(poll.count == (isWrittenBack ? 2 : 0))
        }
    }
}
