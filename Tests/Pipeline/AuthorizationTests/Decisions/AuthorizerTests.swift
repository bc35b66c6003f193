import Authentication
import Authorization
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct AuthorizerTests {
    private static let now = ManualClock.start
    private let view = StoreView()

    init() {
        view.setAlwaysFresh()
    }

    /// What a route decides of a token, in a word, and what the store could not tell meanwhile.
    private func decide(
        _ token: TokenDraft? = .idToken(), monotonic: UInt64 = 0, mayWait: Bool = false,
        _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) throws -> (String, [StoreFailure]) {
        var policy = RoutePolicy()
        adjust(&policy)
        var failures: [StoreFailure] = []
        let authorizer = Authorizer(store: view.reader(), clockSkew: 5, maxStaleness: 60)
        let decision = authorizer.decide(
            policy, identity: try token?.entry(),
            in: DecisionContext(now: Self.now, monotonic: monotonic, mayWait: mayWait)
        ) { failures.append($0) }
        return (word(decision), failures)
    }

    private func word(_ decision: Decision) -> String {
        switch decision {
        case .permit(let permit):
            permit.identity.map {
                "\($0.principal.uid)" + (permit.signedInAt.map { " at \($0.seconds - Self.now)" } ?? "")
            }
                ?? "anonymous"
        case .deny(let denial): "\(denial.code)" + (denial.maxAge.map { " \($0)" } ?? "")
        case .awaitStore: "waits"
        case .queryStore: "asks"
        case .lookUp: "looks up"
        }
    }

    private func verdict(_ token: TokenDraft? = .idToken(), _ adjust: (inout RoutePolicy) -> Void = { _ in }) throws
        -> String
    {
        try decide(token, adjust).0
    }

    private func set(user record: UserRecord) throws {
        view.setUser(try TokenDraft.idToken().principal().userKey, to: RecordWord(record))
    }

    private func set(session record: SessionRecord, of token: TokenDraft = .idToken()) throws {
        view.setSession(try token.principal().sessionKey, to: RecordWord(record))
    }

    private func signedIn(_ secondsAgo: Int64) -> TokenDraft {
        TokenDraft.idToken().with("auth_time", "\(Self.now - secondsAgo)")
    }

    // MARK: - Who is asking

    @Test func aKnownUserPasses() throws {
        #expect(try verdict() == "user-1")
    }

    @Test func nobodyPassesWhereACredentialIsRequired() throws {
        #expect(try verdict(nil) == "missingCredential")
    }

    @Test func nobodyPassesAnonymouslyElsewhere() throws {
        #expect(try verdict(nil) { $0.authentication = .optional } == "anonymous")
        #expect(try verdict(nil) { $0.authentication = .none } == "anonymous")
    }

    @Test func nobodyPassesConditionsOfUsersAnonymously() throws {
        let conditions: [(inout RoutePolicy) -> Void] = [
            { $0.recentSignIn = 300 }, { $0.secondFactor = true }, { $0.providers = ["apple.com"] },
        ]
        for condition in conditions {
            let answer = try verdict(nil) {
                $0.authentication = .optional
                condition(&$0)
            }
            #expect(answer == "missingCredential")
        }
    }

    // MARK: - Revocation

    @Test func h01ASignInBeforeTheRevocationIsRevoked() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now - 99)))
        #expect(try verdict() == "idTokenRevoked")
    }

    @Test func h01ASignInOfTheSameSecondPasses() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now - 100)))
        #expect(try verdict() == "user-1")
    }

    @Test func h01ASignInAfterTheRevocationPasses() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now - 101)))
        #expect(try verdict() == "user-1")
    }

    @Test func h05ARefreshedTokenIsStillRevoked() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now - 99)))
        #expect(try verdict(TokenDraft.idToken().with("iat", "\(Self.now)")) == "idTokenRevoked")
    }

    @Test func h02DisabledIsToldBeforeRevoked() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now), disabled: true))
        #expect(try verdict() == "userDisabled")
    }

    @Test func aRevokedSessionIsRevoked() throws {
        try set(session: SessionRecord(revoked: true))
        #expect(try verdict() == "idTokenRevoked")
    }

    @Test func anotherSessionOfTheUserIsNot() throws {
        try set(session: SessionRecord(revoked: true), of: signedIn(50))
        #expect(try verdict() == "user-1")
    }

    @Test func aRevokedCookieHasItsOwnCode() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now)))
        let principal = try TokenDraft.sessionCookie().principal(.sessionCookie)
        let authorizer = Authorizer(store: view.reader(), clockSkew: 5, maxStaleness: 60)
        let context = DecisionContext(now: Self.now, monotonic: 0, mayWait: false)
        guard case .revoked(let code) = authorizer.revocation(RoutePolicy(), principal.standing, in: context) else {
            Issue.record("not revoked")
            return
        }
        #expect(code == .sessionCookieRevoked)
    }

    @Test func revocationOffIsOff() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now), disabled: true))
        view.setStale()
        #expect(try verdict { $0.revocation = .off } == "user-1")
    }

    @Test func strictAsksTheEmbeddedStoresView() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now)))
        #expect(try verdict { $0.revocation = .strict } == "idTokenRevoked")
    }

    // MARK: - The store cannot tell

    @Test func aViewThatLoadsIsWaitedFor() throws {
        view.setStale()
        #expect(try decide(mayWait: true).0 == "waits")
    }

    @Test func h04AViewThatDidNotLoadIs503() throws {
        view.setStale()
        let (verdict, failures) = try decide()
        #expect(verdict == "storeUnavailable")
        #expect(failures == [.notLoaded])
    }

    @Test func h04AViewThatIsTooOldIs503() throws {
        view.confirm(at: 0)
        #expect(try decide(monotonic: 50).0 == "user-1")
        let (verdict, failures) = try decide(monotonic: 100)
        #expect(verdict == "storeUnavailable")
        #expect(failures == [.stale])
    }

    @Test func h04AFaultyRecordIs503ForItsUserAlone() throws {
        view.setUser(try TokenDraft.idToken().principal().userKey, to: .faulty)
        let (verdict, failures) = try decide()
        #expect(verdict == "storeUnavailable")
        #expect(failures == [.faultyRecord])
        #expect(try self.verdict(TokenDraft.idToken().with("sub", "\"user-2\"").with("user_id", nil)) == "user-2")
    }

    @Test func aFaultySessionIs503() throws {
        view.setSession(try TokenDraft.idToken().principal().sessionKey, to: .faulty)
        #expect(try verdict() == "storeUnavailable")
    }

    @Test func h04AllowPassesAndIsTold() throws {
        view.setStale()
        let (verdict, failures) = try decide { $0.allowsOnStoreFailure = true }
        #expect(verdict == "user-1")
        #expect(failures == [.notLoaded])
    }

    @Test func h04AllowDoesNotPassWhoIsKnownToBeRevoked() throws {
        try set(user: UserRecord(disabled: true))
        view.setSession(try TokenDraft.idToken().principal().sessionKey, to: .faulty)
        #expect(try verdict { $0.allowsOnStoreFailure = true } == "userDisabled")
    }

    @Test func recencyIsNeverAssumed() throws {
        view.setStale()
        let (verdict, _) = try decide {
            $0.allowsOnStoreFailure = true
            $0.recentSignIn = 10
        }
        #expect(verdict == "storeUnavailable")
    }

    // MARK: - Recent sign-in

    @Test func i06ASignInIsRecentUpToExactlyItsAge() throws {
        #expect(try verdict(signedIn(300)) { $0.recentSignIn = 300 } == "user-1")
        #expect(try verdict(signedIn(301)) { $0.recentSignIn = 300 } == "requiresRecentLogin 300")
    }

    @Test func i06TheSkewCountsOnTheFuturesSideOnly() throws {
        #expect(try verdict(signedIn(-5)) { $0.recentSignIn = 300 } == "user-1")
        #expect(try verdict(signedIn(305)) { $0.recentSignIn = 300 } == "requiresRecentLogin 300")
    }

    @Test func i02AFreshTokenOfAnOldSignInIsNotRecent() throws {
        let token = signedIn(4000).with("iat", "\(Self.now)")
        #expect(try verdict(token) { $0.recentSignIn = 300 } == "requiresRecentLogin 300")
    }

    @Test func aRecordedSignInOfThisSessionCounts() throws {
        try set(session: SessionRecord(signedInAt: UnixTime(clamping: Self.now - 20)), of: signedIn(4000))
        #expect(try verdict(signedIn(4000)) { $0.recentSignIn = 300 } == "user-1 at -20")
    }

    @Test(arguments: [(true, "user-1 at -20"), (false, "requiresRecentLogin 300")])
    func `only a recorded authentication counts where one is asked for`(isAuthenticated: Bool, result: String) throws {
        let record = SessionRecord(signedInAt: UnixTime(clamping: Self.now - 20), isAuthenticated: isAuthenticated)
        try set(session: record, of: signedIn(4000))
        let verdict = try verdict(signedIn(4000)) {
            $0.recentSignIn = 300
            $0.needsAuthentication = true
        }
        #expect(verdict == result)
    }

    @Test func aRecordedSignInOfAnotherSessionDoesNot() throws {
        try set(session: SessionRecord(signedInAt: UnixTime(clamping: Self.now - 20)), of: signedIn(100))
        #expect(try verdict(signedIn(4000)) { $0.recentSignIn = 300 } == "requiresRecentLogin 300")
    }

    @Test func aRecordedSignInThatIsTooOldOrInTheFutureDoesNot() throws {
        for age: Int64 in [301, -6] {
            try set(session: SessionRecord(signedInAt: UnixTime(clamping: Self.now - age)), of: signedIn(4000))
            #expect(try verdict(signedIn(4000)) { $0.recentSignIn = 300 } == "requiresRecentLogin 300")
        }
    }

    @Test func theStoreIsNotAskedWhereTheTokenSuffices() throws {
        view.setStale()
        let verdict = try verdict(signedIn(10)) {
            $0.recentSignIn = 300
            $0.revocation = .off
        }
        #expect(verdict == "user-1")
    }

    @Test func theStoreIsAskedForRecencyThoughRevocationIsOff() throws {
        view.setStale()
        let verdict = try verdict(signedIn(400)) {
            $0.recentSignIn = 300
            $0.revocation = .off
        }
        #expect(verdict == "storeUnavailable")
    }

    @Test func recencyIsAskedAfterRevocation() throws {
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now)))
        #expect(try verdict(signedIn(4000)) { $0.recentSignIn = 300 } == "idTokenRevoked")
    }

    // MARK: - How the user signed in

    @Test func e06OnlyListedProvidersPass() throws {
        #expect(try verdict { $0.providers = ["apple.com", "google.com"] } == "user-1")
        #expect(try verdict { $0.providers = ["apple.com"] } == "permissionDenied")
    }

    @Test func i03ATokenWithoutAProviderIsOfNone() throws {
        let token = TokenDraft.idToken().with("firebase", "{}")
        #expect(try verdict(token) { $0.providers = ["google.com"] } == "permissionDenied")
    }

    @Test func aProviderIsAskedAfterRevocationAndBeforeRecency() throws {
        let old = signedIn(4000)
        let ask: (inout RoutePolicy) -> Void = {
            $0.providers = ["apple.com"]
            $0.recentSignIn = 300
            $0.secondFactor = true
        }
        #expect(try verdict(old, ask) == "permissionDenied")
        try set(user: UserRecord(validSince: UnixTime(clamping: Self.now)))
        #expect(try verdict(old, ask) == "idTokenRevoked")
    }

    @Test func i03ASecondFactorIsAskedFor() throws {
        let token = TokenDraft.idToken().with("firebase", #"{"sign_in_second_factor":"totp"}"#)
        #expect(try verdict(token) { $0.secondFactor = true } == "user-1")
        #expect(try verdict { $0.secondFactor = true } == "secondFactorRequired")
    }

    @Test func recencyIsToldBeforeTheSecondFactor() throws {
        let verdict = try verdict(signedIn(4000)) {
            $0.recentSignIn = 300
            $0.secondFactor = true
        }
        #expect(verdict == "requiresRecentLogin 300")
    }
}
