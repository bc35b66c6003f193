import DevelopmentIdentity
import GatewayCore
import JOSE
import RequestPipeline
import Revocation
import RevocationStores
import Testing

@testable import Accounts
@testable import Authentication
@testable import Authorization
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Each session belongs to the identity that began it. The store orders sessions and revocations.
@Suite(.timeLimit(.minutes(5))) struct SessionOriginTests {
    private let rig: AccountsRig

    init() async throws { rig = try await AccountsRig() }

    private func isRevoked(_ caller: Principal) -> Bool {
        let authorizer = Authorizer(store: StoreReader(view: rig.store.view, lane: 0), clockSkew: 5, maxStaleness: .max)
        if case .revoked = authorizer.replicatedRevocation(caller.facts) { return true }
        return false
    }

    private func name(_ user: DevelopmentUser, at provider: IdentityProvider) -> String {
        "\(provider.id):\(user.subject(at: provider.id))"
    }

    /// The account service of another gateway whose clock is ahead.
    private func ahead(seconds: Int64) -> Accounts {
        let (parts, time) = (rig.parts, rig.time)
        return Accounts(
            AccountParts(
                settings: parts.settings, clock: GatewayClock(now: { time.now + seconds }, monotonic: { 1 }),
                logger: parts.logger, store: parts.store, authority: parts.authority, verifier: parts.verifier,
                clockSkew: parts.clockSkew, maxStaleness: parts.maxStaleness, rating: parts.rating))
    }

    /// Two sessions of one account: one begun by ada's Google identity, the other by grace's `oidc.corp` identity.
    private func linked() async throws -> (owner: Principal, other: Principal) {
        let owner = try await rig.session(.google, .ada)
        let linked = await rig.call(.link, try await rig.proof(.oidc("corp"), .grace), by: owner)
        try #require(linked.code == "ok", "\(rig.log.text)")
        let other = try await rig.session(.oidc("corp"), .grace)
        try #require(other.uid == owner.uid)
        return (try rig.caller(linked), other)
    }

    @Test func `an unlink ends the sessions of the identity and no others`() async throws {
        let (owner, other) = try await linked()
        let proof = try await rig.proof(.oidc("corp"), .grace)
        let answer = await rig.call(.unlink, ["provider": "oidc.corp"], by: owner)
        #expect(answer.code == "ok" && answer.token != nil)
        let continued = try #require(rig.jar.latest(of: owner))
        #expect(isRevoked(other) && !isRevoked(continued))
        for (call, body) in [
            (AccountEndpoint.link, proof), (.unlink, ["provider": "google.com"]), (.reauthenticate, proof),
            (.signOut, ["everywhere": true]),
        ] {
            #expect(await rig.code(call, body, by: other) == "auth/session-cookie-revoked")
        }
        #expect(await rig.code(.unlink, ["provider": "oidc.corp"], by: owner) == "auth/no-such-provider")
    }

    @Test func `a session with a proof of another identity belongs to that identity`() async throws {
        let (_, other) = try await linked()
        let body = try await rig.proof(.google, .ada) { $0.setting("jti", to: "2") }
        let answer = await rig.call(.reauthenticate, body, by: other)
        let reissued = try rig.caller(answer)
        #expect(reissued.session != other.session && reissued.expiresAt == other.expiresAt)
        #expect(reissued.origin?.link?.provider == "google.com")
        #expect(await rig.code(.unlink, ["provider": "oidc.corp"], by: reissued) == "ok")
        let current = try #require(rig.jar.latest(of: reissued))
        #expect(isRevoked(other) && isRevoked(reissued) && !isRevoked(current))
    }

    @Test func `a session of an unlinked identity passes no call, whatever the records`() async throws {
        let (_, other) = try await linked()
        _ = try await rig.store.release(provider: "oidc.corp", of: other.uid)
        try await rig.store.unrevoke(name(.grace, at: .oidc("corp")))
        #expect(!isRevoked(other))
        let answer = await rig.call(.unlink, ["provider": "google.com"], by: other)
        #expect(answer.code == "auth/session-cookie-revoked")
    }

    @Test(arguments: [false, true])
    func `a revoked or disabled identity has no sessions and no sign-ins`(isDisabled: Bool) async throws {
        let (owner, other) = try await linked()
        let name = name(.grace, at: .oidc("corp"))
        let proof = try await rig.proof(.oidc("corp"), .grace) { $0.issued(at: rig.now - 1) }
        if isDisabled {
            try await rig.store.setDisabled(name, true)
        } else {
            try await rig.store.revoke(name, at: rig.now, .everything)
        }
        #expect(isRevoked(other) && !isRevoked(owner))
        let code = isDisabled ? "auth/user-disabled" : "auth/id-token-revoked"
        #expect(await rig.code(.signIn, proof) == code)
        guard !isDisabled else { return }
        // A credential that was created afterwards is accepted, even in the same second.
        let again = try await rig.session(.oidc("corp"), .grace)
        #expect(again.uid == owner.uid && !isRevoked(again))
    }

    @Test func `each sign-out everywhere ends the sessions of the same second`() async throws {
        for round in 0..<4 {
            let callers = [try await rig.session(.apple, .alan), try await rig.session(.apple, .alan)]
            #expect(!callers.contains { isRevoked($0) }, "\(round)")
            #expect(await rig.code(.signOut, ["everywhere": true], by: callers[0]) == "ok")
            #expect(callers.allSatisfy { isRevoked($0) }, "\(round)")
        }
    }

    @Test func `a takeover ends a session that a gateway with a faster clock began`() async throws {
        let squatter = DevelopmentUser.dennis.withEmail("ada@example.com", verified: false)
        let signIn = AccountCall(
            endpoint: .signIn, body: Array(try await rig.proof(.oidc("corp"), squatter).text.utf8),
            contentType: "application/json", caller: nil, network: .version4(1), requestID: "request-2")
        let session = try rig.caller(CallAnswer(reply: await ahead(seconds: 2).reply(to: signIn)))
        #expect(session.startedAt?.seconds == rig.now + 2)
        let taken = await rig.call(.signIn, try await rig.proof(.google, .ada))
        #expect(taken.code == "auth/requires-recent-login")
        #expect(isRevoked(session))
        // The owner's sign-in is accepted immediately, by the slower clock too.
        let owner = try await rig.session(.google, .ada)
        #expect(owner.uid == session.uid && !isRevoked(owner))
    }

    @Test func `a sign-in whose identity is unlinked meanwhile begins no session`() async throws {
        let (_, other) = try await linked()
        let parts = rig.parts
        _ = try await rig.store.release(provider: "oidc.corp", of: other.uid)
        let link = try #require(other.origin?.link)
        #expect(
            try await SessionStarter(parts: parts).start(other.user, link, madeAt: UnixTime(clamping: rig.now)) == nil)
    }

    @Test func `O-29: an opaque token without a time is accepted once after a revocation`() async throws {
        func body(_ text: String) -> JSONObject {
            rig.opaque.add(.introspected(for: .robot, text: text, now: rig.now).removing("iat"))
            return ["provider": "oauth.legacy", "access_token": .string(text)]
        }
        let owner = try await rig.session()
        #expect(await rig.code(.link, body("token-1"), by: owner) == "ok")
        let first = try rig.caller(try await rig.signIn(body("token-2")))
        try #require(first.uid == owner.uid)
        #expect(await rig.code(.unlink, ["provider": "oauth.legacy"], by: owner) == "ok")
        #expect(isRevoked(first))
        #expect(await rig.code(.link, body("token-3"), by: owner) == "ok")
        try await rig.store.revoke(owner.uid, at: rig.now, .everything)
        #expect(await rig.code(.signIn, body("token-2")) == "auth/missing-or-invalid-nonce")
        let again = try rig.caller(try await rig.signIn(body("token-4")))
        #expect(again.uid == owner.uid && !isRevoked(again))
    }

    @Test func `O-29: a provider token changes the account only after a proof of sign-in`() async throws {
        let owner = try await rig.session()
        let identity = try ProviderIdentity.made(
            provider: "google.com", subject: DevelopmentUser.ada.subject(at: "google.com"), authTime: rig.now)
        let hasher = try SHA256Hasher.required()
        let account = try #require(try await rig.store.account(owner.uid))
        let caller = try #require(Principal(identity, hasher: hasher)?.owned(by: account, hasher: hasher))
        for (call, body) in [
            (AccountEndpoint.link, rig.gitHub()), (.unlink, ["provider": "google.com"]),
            (.signOut, ["everywhere": true]),
        ] as [(AccountEndpoint, JSONObject)] {
            #expect(await rig.code(call, body, by: caller) == "auth/requires-recent-login")
        }
        #expect(await rig.code(.reauthenticate, try await rig.proof(.google, .ada), by: caller) == "ok")
        #expect(await rig.code(.link, rig.gitHub(), by: caller) == "ok")
    }

    @Test func `H-03: a revocation in the view applies although the store lost it`() async throws {
        let ada = try await rig.session()
        // The credential was created before the revocation that the store lost, and after one that it kept.
        let proof = try await rig.proof(.google, .ada) { $0.issued(at: rig.now - 10) }
        try await rig.store.revoke(ada.uid, at: rig.now - 1000)
        rig.store.view.setUser(ada.userKey, to: RecordWord(UserRecord(validSince: UnixTime(clamping: rig.now - 5))))
        #expect(await rig.code(.signIn, proof) == "auth/id-token-revoked")
        rig.store.view.setUser(
            ada.userKey, to: RecordWord(UserRecord(validSince: UnixTime(clamping: rig.now - 1000), disabled: true)))
        #expect(await rig.code(.signIn, try await rig.proof(.google, .ada)) == "auth/user-disabled")
    }

    @Test func `O-29: a sign-in after a revocation is valid despite an old auth_time of Google`() async throws {
        func proof(_ number: String) async throws -> JSONObject {
            try await rig.proof(.google, .ada) {
                $0.signedIn(at: rig.now - 2_600_000).setting("jti", to: .string(number))
            }
        }
        let first = try rig.caller(try await rig.signIn(try await proof("1")))
        #expect(first.authTime?.seconds == rig.now)
        #expect(first.facts.authenticatedAt.known?.seconds == rig.now - 2_600_000)
        try await rig.store.revoke(first.uid, at: rig.now, .everything)
        #expect(isRevoked(first))
        let second = try rig.caller(try await rig.signIn(try await proof("2")))
        #expect(!isRevoked(second))
        rig.time.advance(seconds: 400)
        #expect(await rig.code(.reauthenticate, try await proof("3"), by: second) == "ok")
        // The token was created before the revocation and presented after it.
        let old = try await rig.proof(.google, .ada) { $0.setting("jti", to: "4") }
        rig.time.advance(seconds: 1)
        try await rig.store.revoke(first.uid, at: rig.now, .everything)
        #expect(await rig.code(.signIn, old) == "auth/id-token-revoked")
    }

    @Test func `O-29: a fresh Microsoft token may have an iat 300 seconds old`() async throws {
        func proof(_ number: String) async throws -> JSONObject {
            try await rig.proof(.microsoft, .barbara) {
                $0.issued(at: rig.now - 300).removing("auth_time").setting("jti", to: .string(number))
            }
        }
        let caller = try rig.caller(try await rig.signIn(try await proof("1")))
        #expect(caller.authTime?.seconds == rig.now && caller.facts.authenticatedAt == .unknown)
        try await rig.store.revoke(caller.uid, at: rig.now, .everything)
        let again = try rig.caller(try await rig.signIn(try await proof("2")))
        rig.time.advance(seconds: 1)
        #expect(await rig.code(.reauthenticate, try await proof("3"), by: again) == "ok")
    }

    @Test func `the cookie contains the proofs of the session's source`() async throws {
        let apple = try rig.caller(
            try await rig.signIn(try await rig.proof(.apple, .alan) { $0.signedIn(at: rig.now - 90) }))
        #expect(apple.authTime?.seconds == rig.now - 90)
        #expect(apple.facts.authenticatedAt.known?.seconds == rig.now - 90)
        let confirmed = try rig.caller(
            try await rig.signIn(try await rig.proof(.oidc("corp"), .grace) { $0.removing("auth_time") }))
        #expect(confirmed.authTime?.seconds == rig.now && confirmed.facts.authenticatedAt == .unknown)
        let minted = try rig.caller(try await rig.signIn(rig.gitHub()))
        #expect(minted.authTime == nil && minted.startedAt?.seconds == rig.now)
    }

    @Test func `O-29: only an authentication is recorded as authenticated`() async throws {
        let caller = try await rig.session(.oidc("corp"), .grace)
        rig.time.advance(seconds: 1000)
        let confirmed = try await rig.proof(.oidc("corp"), .grace) { $0.removing("auth_time") }
        let first = try rig.caller(await rig.call(.reauthenticate, confirmed, by: caller))
        #expect(first.authTime?.seconds == rig.now)
        #expect(first.facts.authenticatedAt.known?.seconds == rig.now - 1000)
        let authenticated = try await rig.proof(.oidc("corp"), .grace) { $0.signedIn(at: rig.now) }
        let second = try rig.caller(await rig.call(.reauthenticate, authenticated, by: caller))
        #expect(second.facts.authenticatedAt.known?.seconds == rig.now)
    }
}
