import Accounts
import Authentication
import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import RevocationStores
import Testing

@testable import CoreFixtures
@testable import Revocation
@testable import StoreFixtures

@Suite(.timeLimit(.minutes(1))) struct SignOutTests {
    @Test("signing out ends this session and no other", arguments: ["", "{}", #"{"everywhere":false}"#])
    func here(text: String) async throws {
        let rig = try await AccountsRig()
        let (one, two) = (try await rig.session(), try await rig.session())
        let answer = await rig.call(.signOut, text: text, by: one)
        #expect(answer.code == "ok")
        #expect(answer.cookie == .clear)
        #expect(rig.store.view.session(one.sessionKey, lane: 0) == .record(revoked: true, signedInAt: nil))
        #expect(rig.store.view.session(two.sessionKey, lane: 0) == .none)
        #expect(rig.store.view.user(one.userKey, lane: 0) == .none)
    }

    @Test func everywhereEndsAllAndThisOneToo() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let answer = await rig.call(.signOut, ["everywhere": true], by: caller)
        #expect(answer.cookie == .clear)
        #expect(
            rig.store.view.user(caller.userKey, lane: 0)
                == .record(validSince: UnixTime(clamping: rig.now), disabled: false))
        #expect(rig.store.view.session(caller.sessionKey, lane: 0) == .record(revoked: true, signedInAt: nil))
    }

    @Test("everywhere needs a recent sign-in; here does not")
    func recent() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        rig.time.advance(seconds: 301)
        let answer = await rig.call(.signOut, ["everywhere": true], by: caller)
        #expect(answer.code == "auth/requires-recent-login")
        #expect(rig.store.view.user(caller.userKey, lane: 0) == .none)
        #expect(await rig.call(.signOut, by: caller).code == "ok")
    }

    @Test func whoIsNotSignedInHasTheCookieCleared() async throws {
        let rig = try await AccountsRig()
        for text in ["", "{}", #"{"everywhere":true}"#] {
            #expect(await rig.call(.signOut, text: text).cookie == .clear)
        }
    }

    @Test("a record of a session goes with its cookie")
    func expiry() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        _ = await rig.call(.signOut, by: caller)
        rig.time.advance(seconds: 432_001)
        #expect(try await rig.store.purge(now: rig.now) >= 1)
        let session = try #require(caller.session)
        #expect(try await rig.store.session(caller.uid, session).revoked == false)
    }

    @Test("H-05: a session that goes on in refreshed tokens stays ended when the token of the call has expired")
    func refreshed() async throws {
        let rig = try await AccountsRig()
        let token = FirebaseToken.idToken(for: .ada, now: rig.now)
        let caller = try rig.caller(firebase: token)
        let proof = try token.setting("jti", to: "2").signed(by: TokenDraft.key)
        #expect(await rig.call(.reauthenticate, ["id_token": .string(proof)], by: caller).code == "ok")
        #expect(await rig.call(.signOut, by: caller).code == "ok")
        rig.time.advance(seconds: 10_000_000)
        try await rig.store.purge(now: rig.now)
        let session = try #require(caller.session)
        #expect(try await rig.store.session("ada", session).revoked)
    }

    @Test("a Firebase user signs out everywhere, whatever their token")
    func firebase() async throws {
        let rig = try await AccountsRig()
        let caller = try rig.caller(firebase: .idToken(for: .ada, now: rig.now))
        #expect(await rig.call(.signOut, ["everywhere": true], by: caller).code == "ok")
        #expect(
            rig.store.view.user(caller.userKey, lane: 0)
                == .record(validSince: UnixTime(clamping: rig.now), disabled: false))
    }
}

@Suite(.timeLimit(.minutes(1))) struct AuthVariableTests {
    @Test func whoCallsIsToldAsTheUpstreamIs() async throws {
        let rig = try await AccountsRig()
        let caller = try await rig.session()
        let answer = await rig.call(.auth, by: caller)
        #expect(Array(answer.text.utf8) == caller.variable)
        #expect(answer.json?["provider"]?.equals("google") == true)
    }

    @Test func nobodyIsNull() async throws {
        let rig = try await AccountsRig()
        #expect(await rig.call(.auth).text == "null")
    }
}
