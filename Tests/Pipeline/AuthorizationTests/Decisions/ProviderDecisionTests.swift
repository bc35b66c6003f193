import Authentication
import Authorization
import Forwarding
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

/// Decisions about provider tokens, which can lack the time of the sign-in and can have scopes.
@Suite struct ProviderDecisionTests {
    private static let now = DecisionRig.now
    private let rig = DecisionRig()

    /// An identity of `google.com`, without a token of the provider.
    private func entry(
        authTime: Int64? = nil, issuedAt: Int64? = ManualClock.start - 100, scopes: [String] = [],
        provider: String = "google.com"
    ) throws -> VerifiedTokenCache.Entry {
        let identity = try ProviderIdentity.made(
            provider: provider, authTime: authTime, issuedAt: issuedAt, scopes: scopes)
        let principal = try #require(Principal(identity, hasher: try SHA256Hasher.required()))
        let renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [])
        return VerifiedTokenCache.Entry(
            principal: principal, verifier: 0, keySetGeneration: 1, identity: renderer.render(principal))
    }

    private func verdict(
        _ entry: VerifiedTokenCache.Entry, answer: StoreRecords? = nil, isShared: Bool = false,
        acrValues: [String: String] = [:], queriesFirebase: Bool = false,
        _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) -> String {
        var rig = rig
        (rig.isShared, rig.acrValues, rig.queriesFirebase) = (isShared, acrValues, queriesFirebase)
        return rig.decide(entry, answer: answer, adjust).verdict
    }

    private func strict(_ policy: inout RoutePolicy) { policy.revocation = .strict }
    private func recent(_ policy: inout RoutePolicy) { policy.recentSignIn = 300 }

    // MARK: - Revocation

    @Test(arguments: [(nil, -100), (-500, -500)] as [(Int64?, Int64)])
    func `a token is revoked by its authentication time, otherwise by its issue time`(authTime: Int64?, time: Int64)
        throws
    {
        let entry = try entry(authTime: authTime.map { Self.now + $0 }, issuedAt: Self.now - 100)
        rig.set(user: entry.principal.userKey, to: .since(Self.now + time))
        #expect(verdict(entry) == "passes")
        rig.set(user: entry.principal.userKey, to: .since(Self.now + time + 1))
        #expect(verdict(entry) == "idTokenRevoked")
    }

    @Test func `every revocation revokes a token without any time`() throws {
        let entry = try entry(issuedAt: nil)
        #expect(verdict(entry) == "passes")
        rig.set(user: entry.principal.userKey, to: .since(0))
        #expect(verdict(entry) == "idTokenRevoked")
    }

    @Test func `a strict route queries only the user if there is no session`() throws {
        #expect(verdict(try entry(), isShared: true, strict) == "queries 1")
        let answer = StoreRecords.records(user: UserLookup.none, session: nil)
        #expect(verdict(try entry(), answer: answer, isShared: true, strict) == "passes")
    }

    @Test func `a provider's user is not looked up in Firebase`() throws {
        #expect(verdict(try entry(), queriesFirebase: true) == "passes")
    }

    // MARK: - Recent sign-in

    @Test(
        arguments: [(nil, "requiresRecentLogin 300"), (300, "passes"), (301, "requiresRecentLogin 300")]
            as [(Int64?, String)])
    func `I-11: only a recent authentication time is recent`(secondsAgo: Int64?, expected: String) throws {
        let entry = try entry(authTime: secondsAgo.map { Self.now - $0 }, issuedAt: Self.now)
        #expect(verdict(entry, recent) == expected)
        if secondsAgo == nil { #expect(verdict(entry, isShared: true, recent) == expected) }
    }

    @Test func `a later proof is recorded under the session of the provider`() throws {
        let entry = try entry(authTime: Self.now - 1000)
        #expect(entry.principal.session == "google.com:\(Self.now - 1000)")
        let record = SessionRecord(signedInAt: UnixTime(clamping: Self.now - 10))
        rig.view.setSession(entry.principal.sessionKey, to: RecordWord(record))
        #expect(verdict(entry, recent) == "passes at -10")
    }

    // MARK: - Scopes and second factors

    @Test(arguments: [
        (["read"], "passes"), (["read", "write"], "passes"), (["write", "read"], "passes"),
        (["admin"], "insufficientScope scope=\"admin\""),
        (["read", "admin"], "insufficientScope scope=\"read admin\""), (["Read"], "insufficientScope scope=\"Read\""),
    ])
    func `G-02: every scope of the route is required`(_ wanted: [String], _ expected: String) throws {
        #expect(verdict(try entry(scopes: ["read", "write", "other"])) { $0.scopes = wanted } == expected)
        let challenge = "insufficientScope scope=\"\(wanted.joined(separator: " "))\""
        #expect(verdict(try entry()) { $0.scopes = wanted } == challenge)
    }

    @Test(arguments: [("google.com", "secondFactorRequired acr_values=\"mfa\""), ("oidc.corp", "secondFactorRequired")])
    func `the challenge names the provider's values for a second factor`(provider: String, expected: String) throws {
        let values = ["google.com": "acr_values=\"mfa\""]
        #expect(verdict(try entry(provider: provider), acrValues: values) { $0.secondFactor = true } == expected)
    }

    // MARK: - Claims as Firebase writes them

    @Test func `the auth variable is the one of a Firebase token`() throws {
        let principal = try entry().principal
        #expect(principal.uid == "google.com:104")
        #expect(principal.provider == "google")
        let claims = principal.claims.root
        #expect(claims["sub"]?.string == "google.com:104")
        #expect(claims["user_id"]?.string == "google.com:104")
        #expect(claims["firebase"]?["sign_in_provider"]?.string == "google.com")
        #expect(claims["firebase"]?["identities"]?["google.com"]?.elements.map(\.string) == ["104"])
        #expect(claims["firebase"]?["tenant"] == nil)
        #expect(claims["iss"] != nil)
    }

    @Test func `there is no time field without the time of the sign-in`() throws {
        let lines = String(decoding: try entry().identity.bytes, as: UTF8.self)
        #expect(!lines.contains("X-Auth-Time"))
        #expect(lines.contains("X-Auth-Uid: google.com:104\r\n"))
    }
}
