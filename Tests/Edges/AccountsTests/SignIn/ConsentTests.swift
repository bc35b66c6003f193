import Authentication
import DevelopmentIdentity
import RequestPipeline
import Testing

@testable import CoreFixtures

/// An anonymised Apple ID is connected with what tells who somebody is only with their consent.
@Suite(.timeLimit(.minutes(1))) struct ConsentTests {
    @Test("consent is asked before the proof is used, and is in the audit log")
    func asked() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.apple, .alan)
        var body = try await rig.proof(.google, .ada)
        #expect(await rig.call(.link, body, by: caller).code == "auth/consent-required")
        body["consent"] = false
        #expect(await rig.call(.link, body, by: caller).code == "auth/consent-required")
        body["consent"] = true
        #expect(await rig.call(.link, body, by: caller).code == "ok", "the same proof")
        #expect(rig.log.text.contains("\"consent\": true"))
    }

    @Test("a social account without an address needs it too")
    func social() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.apple, .alan)
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "auth/consent-required")
    }

    @Test("and so does the other direction", arguments: ["google.com", "oidc.corp", "firebase"])
    func otherDirection(kind: String) async throws {
        let rig = try await AccountsRig()
        let caller: Principal
        switch kind {
        case "oidc.corp": caller = try await rig.session(.oidc("corp"), .grace.withEmail(nil))
        case "google.com": caller = try await rig.session(.google, .ada)
        default: caller = try rig.caller(firebase: .idToken(for: .margaret, now: rig.now))
        }
        var body = try await rig.proof(.apple, .alan)
        #expect(await rig.call(.link, body, by: caller).code == "auth/consent-required")
        body["consent"] = true
        #expect(await rig.call(.link, body, by: caller).code == "ok")
    }

    @Test("a Firebase user who is anonymous by Apple is asked")
    func firebase() async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(firebase: .idToken(for: .alan, now: rig.now))
        #expect(await rig.call(.link, try await rig.proof(.google, .ada), by: caller).code == "auth/consent-required")
        #expect(await rig.call(.link, try await rig.proof(.apple, .alan), by: caller).code == "ok", "both hide it")
    }

    @Test("who consented once is not anonymous any more")
    func once() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.apple, .alan)
        _ = await rig.call(.link, try await rig.proof(.google, .ada, ["consent": true]), by: caller)
        #expect(await rig.call(.link, rig.gitHub(), by: caller).code == "ok")
    }

    @Test func whoHidesNothingIsNotAsked() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session(.google, .ada)
        let apple = DevelopmentUser.alan.withEmail("alan@example.com")
        #expect(await rig.call(.link, try await rig.proof(.apple, apple), by: caller).code == "ok")
    }
}
