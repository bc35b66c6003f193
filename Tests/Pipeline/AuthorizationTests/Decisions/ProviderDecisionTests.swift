import Authentication
import Authorization
import Forwarding
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

/// Decisions about providers' own tokens: they may not say when their user signed in, and may have scopes.
@Suite struct ProviderDecisionTests {
    private static let now = ManualClock.start
    private let view = StoreView()

    init() {
        view.setAlwaysFresh()
    }

    /// An identity of `google.com`, made of what a provider would have proven.
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
        _ entry: VerifiedTokenCache.Entry, answer: StoreAnswer? = nil, isShared: Bool = false,
        acrValues: [String: String] = [:], asksFirebase: Bool = false,
        _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) -> String {
        var policy = RoutePolicy()
        adjust(&policy)
        let authorizer = Authorizer(
            store: view.reader(), viewIsAuthoritative: !isShared, clockSkew: 5, maxStaleness: 60,
            asksFirebase: asksFirebase, acrValues: acrValues)
        let context = DecisionContext(now: Self.now, monotonic: 0, mayWait: false, answer: answer)
        return switch authorizer.decide(policy, identity: entry, in: context, storeFailure: { _ in }) {
        case .permit(let permit): "passes" + (permit.signedInAt.map { " at \($0.seconds - Self.now)" } ?? "")
        case .deny(let denial): "\(denial.code)" + (denial.challengeParameter.map { " \($0)" } ?? "")
        case .awaitStore: "waits"
        case .queryStore(let question): question == .user ? "asks of the user" : "asks"
        case .lookUp: "looks up"
        }
    }

    private func revoke(_ entry: VerifiedTokenCache.Entry, at time: Int64) {
        view.setUser(entry.principal.userKey, to: RecordWord(UserRecord(validSince: UnixTime(clamping: time))))
    }

    // MARK: - Revocation

    @Test func aTokenWithoutAuthTimeIsRevokedByItsIssueTime() throws {
        let entry = try entry()
        revoke(entry, at: Self.now - 100)
        #expect(verdict(entry) == "passes")
        revoke(entry, at: Self.now - 99)
        #expect(verdict(entry) == "idTokenRevoked")
    }

    @Test func authTimeCountsBeforeTheIssueTime() throws {
        let entry = try entry(authTime: Self.now - 500)
        revoke(entry, at: Self.now - 400)
        #expect(verdict(entry) == "idTokenRevoked")
    }

    @Test func aTokenThatSaysNothingAboutTimeIsRevokedByAnyRevocation() throws {
        let entry = try entry(issuedAt: nil)
        #expect(verdict(entry) == "passes")
        revoke(entry, at: 0)
        #expect(verdict(entry) == "idTokenRevoked")
    }

    @Test func aStrictRouteAsksOnlyOfTheUserWhereThereIsNoSession() throws {
        let entry = try entry()
        #expect(verdict(entry, isShared: true) { $0.revocation = .strict } == "asks of the user")
        let answer = StoreAnswer.records(user: UserLookup.none, session: nil)
        #expect(verdict(entry, answer: answer, isShared: true) { $0.revocation = .strict } == "passes")
    }

    @Test func theAccountsOfFirebaseSayNothingAboutIt() throws {
        #expect(verdict(try entry(), asksFirebase: true) == "passes")
    }

    // MARK: - Recent sign-in

    @Test func i11ATokenWithoutAuthTimeIsNotRecent() throws {
        #expect(verdict(try entry(issuedAt: Self.now)) { $0.recentSignIn = 300 } == "requiresRecentLogin")
        #expect(
            verdict(try entry(issuedAt: Self.now), isShared: true) { $0.recentSignIn = 300 } == "requiresRecentLogin")
    }

    @Test func aRecentAuthTimeIsRecent() throws {
        #expect(verdict(try entry(authTime: Self.now - 300)) { $0.recentSignIn = 300 } == "passes")
        #expect(verdict(try entry(authTime: Self.now - 301)) { $0.recentSignIn = 300 } == "requiresRecentLogin")
    }

    @Test func aLaterProofIsRecordedUnderTheProvidersSession() throws {
        let entry = try entry(authTime: Self.now - 1000)
        #expect(entry.principal.session == "google.com:\(Self.now - 1000)")
        view.setSession(
            entry.principal.sessionKey, to: RecordWord(SessionRecord(signedInAt: UnixTime(clamping: Self.now - 10))))
        #expect(verdict(entry) { $0.recentSignIn = 300 } == "passes at -10")
    }

    // MARK: - Scopes and second factors

    @Test(arguments: [
        (["read"], "passes"), (["read", "write"], "passes"), (["write", "read"], "passes"),
        (["admin"], "insufficientScope scope=\"admin\""),
        (["read", "admin"], "insufficientScope scope=\"read admin\""), (["Read"], "insufficientScope scope=\"Read\""),
    ])
    func g02EveryScopeOfTheRouteIsAsked(_ wanted: [String], _ answer: String) throws {
        #expect(verdict(try entry(scopes: ["read", "write", "other"])) { $0.scopes = wanted } == answer)
    }

    @Test func aSignInHasNoScopes() throws {
        #expect(verdict(try entry()) { $0.scopes = ["read"] } == "insufficientScope scope=\"read\"")
    }

    @Test func theChallengeNamesWhatTheProviderCountsAsASecondFactor() throws {
        let values = ["google.com": "acr_values=\"mfa\""]
        #expect(
            verdict(try entry(), acrValues: values) { $0.secondFactor = true }
                == "secondFactorRequired acr_values=\"mfa\"")
        #expect(
            verdict(try entry(provider: "oidc.corp"), acrValues: values) { $0.secondFactor = true }
                == "secondFactorRequired")
    }

    // MARK: - In Firebase's words

    @Test func theVariableIsWhatFirebaseWouldHaveGiven() throws {
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

    @Test func thereIsNoTimeFieldWithoutASignInTime() throws {
        let lines = String(decoding: try entry().identity.bytes, as: UTF8.self)
        #expect(!lines.contains("X-Auth-Time"))
        #expect(lines.contains("X-Auth-Uid: google.com:104\r\n"))
    }
}
