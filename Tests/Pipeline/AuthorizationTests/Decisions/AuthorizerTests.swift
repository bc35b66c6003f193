import Authentication
import Authorization
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct AuthorizerTests {
    private static let now = DecisionRig.now
    private let rig = DecisionRig()

    private func verdict(
        _ token: TokenDraft? = .idToken(), _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) throws -> String {
        try decide(token, adjust).verdict
    }

    private func decide(
        _ token: TokenDraft? = .idToken(), monotonic: UInt64 = 0, mayWait: Bool = false,
        _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) throws -> (verdict: String, failures: [StoreFailure]) {
        rig.decide(try token?.entry(), monotonic: monotonic, mayWait: mayWait, adjust)
    }

    private func record(of token: TokenDraft, signedIn secondsAgo: Int64, isAuthenticated: Bool = false) throws {
        let time = UnixTime(clamping: Self.now - secondsAgo)
        try rig.set(session: SessionRecord(signedInAt: time, isAuthenticated: isAuthenticated), of: token)
    }

    private func recent(_ policy: inout RoutePolicy) { policy.recentSignIn = 300 }

    // MARK: - Credentials

    @Test func `an anonymous request passes only if no credential is required`() throws {
        #expect(try verdict() == "passes")
        #expect(try verdict(nil) == "missingCredential")
        #expect(try verdict(nil) { $0.authentication = .optional } == "anonymous")
        #expect(try verdict(nil) { $0.authentication = .none } == "anonymous")
    }

    @Test func `an anonymous request satisfies no condition on the user`() throws {
        let conditions: [(inout RoutePolicy) -> Void] = [
            recent, { $0.secondFactor = true }, { $0.providers = ["apple.com"] },
        ]
        for condition in conditions {
            let verdict = try verdict(nil) {
                $0.authentication = .optional
                condition(&$0)
            }
            #expect(verdict == "missingCredential")
        }
    }

    // MARK: - Revocation

    @Test(arguments: [(99, "idTokenRevoked"), (100, "passes"), (101, "passes")])
    func `H-01, H-05: a sign-in before the revocation is revoked, after a refresh too`(
        secondsAgo: Int64, expected: String
    ) throws {
        try rig.set(user: .since(Self.now - secondsAgo))
        #expect(try verdict() == expected)
        #expect(try verdict(TokenDraft.idToken().with("iat", "\(Self.now)")) == expected)
    }

    @Test func `H-02: disabled is reported before revoked, and only if revocation is checked`() throws {
        try rig.set(user: .since(Self.now, disabled: true))
        #expect(try verdict() == "userDisabled")
        rig.view.setStale()
        #expect(try verdict { $0.revocation = .off } == "passes")
    }

    @Test func `a revoked session is revoked, and no other session of the user`() throws {
        try rig.set(session: SessionRecord(revoked: true), of: .signedIn(50))
        #expect(try verdict(.signedIn(50)) == "idTokenRevoked")
        #expect(try verdict() == "passes")
    }

    @Test func `a revoked cookie has its own code`() throws {
        try rig.set(user: .since(Self.now))
        let cookie = try TokenDraft.sessionCookie().principal(.sessionCookie)
        #expect(rig.decide(.of(cookie)).verdict == "sessionCookieRevoked")
    }

    @Test func `a strict route reads the view of the embedded store`() throws {
        try rig.set(user: .since(Self.now))
        #expect(try verdict { $0.revocation = .strict } == "idTokenRevoked")
    }

    // MARK: - Failures of the store

    @Test func `H-04: a request waits for the view to load, then it is 503 unless the route allows it`() throws {
        rig.view.setStale()
        #expect(try decide(mayWait: true).verdict == "waits")
        #expect(try decide() == ("storeUnavailable", [.notLoaded]))
        #expect(try decide { $0.allowsOnStoreFailure = true } == ("passes", [.notLoaded]))
    }

    @Test func `H-04: a view that is too old is 503`() throws {
        rig.view.confirm(at: 0)
        #expect(try decide(monotonic: 50) == ("passes", []))
        #expect(try decide(monotonic: 100) == ("storeUnavailable", [.stale]))
    }

    @Test func `H-04: a faulty record is 503 for its user only`() throws {
        rig.view.setUser(try TokenDraft.idToken().principal().userKey, to: .faulty)
        #expect(try decide() == ("storeUnavailable", [.faultyRecord]))
        #expect(try verdict(TokenDraft.idToken().with("sub", "\"user-2\"").with("user_id", nil)) == "passes")
    }

    @Test func `H-04: a faulty session is 503, and does not hide that the user is disabled`() throws {
        rig.view.setSession(try TokenDraft.idToken().principal().sessionKey, to: .faulty)
        #expect(try verdict() == "storeUnavailable")
        try rig.set(user: UserRecord(disabled: true))
        #expect(try verdict { $0.allowsOnStoreFailure = true } == "userDisabled")
    }

    @Test func `recency is never assumed`() throws {
        rig.view.setStale()
        let verdict = try verdict {
            $0.allowsOnStoreFailure = true
            $0.recentSignIn = 10
        }
        #expect(verdict == "storeUnavailable")
    }

    // MARK: - Recent sign-in

    /// The skew applies only to a sign-in in the future.
    @Test(arguments: [
        (300, "passes"), (301, "requiresRecentLogin 300"), (305, "requiresRecentLogin 300"), (-5, "passes"),
    ])
    func `I-06: a sign-in is recent up to exactly its age`(secondsAgo: Int64, expected: String) throws {
        #expect(try verdict(.signedIn(secondsAgo), recent) == expected)
    }

    @Test func `I-02: a fresh token of an old sign-in is not recent`() throws {
        #expect(try verdict(.signedIn(4000).with("iat", "\(Self.now)"), recent) == "requiresRecentLogin 300")
    }

    @Test(arguments: [
        (20, "passes at -20"), (301, "requiresRecentLogin 300"), (-6, "requiresRecentLogin 300"),
    ])
    func `a recorded sign-in of the session is accepted while it is recent`(secondsAgo: Int64, expected: String) throws
    {
        try record(of: .signedIn(4000), signedIn: secondsAgo)
        #expect(try verdict(.signedIn(4000), recent) == expected)
        #expect(try verdict(.signedIn(4001), recent) == "requiresRecentLogin 300", "another session")
    }

    @Test(arguments: [(true, "passes at -20"), (false, "requiresRecentLogin 300")])
    func `only a recorded authentication is accepted if one is required`(isAuthenticated: Bool, expected: String) throws
    {
        try record(of: .signedIn(4000), signedIn: 20, isAuthenticated: isAuthenticated)
        let verdict = try verdict(.signedIn(4000)) {
            $0.recentSignIn = 300
            $0.needsAuthentication = true
        }
        #expect(verdict == expected)
    }

    @Test(arguments: [(10, "passes"), (400, "storeUnavailable")])
    func `without revocation the store is read only if the token is not recent`(
        secondsAgo: Int64, expected: String
    ) throws {
        rig.view.setStale()
        let verdict = try verdict(.signedIn(secondsAgo)) {
            $0.recentSignIn = 300
            $0.revocation = .off
        }
        #expect(verdict == expected)
    }

    // MARK: - Providers and second factors

    @Test func `E-06, I-03: only listed providers pass, and a token without a provider does not`() throws {
        #expect(try verdict { $0.providers = ["apple.com", "google.com"] } == "passes")
        #expect(try verdict { $0.providers = ["apple.com"] } == "permissionDenied")
        let token = TokenDraft.idToken().with("firebase", "{}")
        #expect(try verdict(token) { $0.providers = ["google.com"] } == "permissionDenied")
    }

    @Test func `I-03: a second factor is required`() throws {
        let token = TokenDraft.idToken().with("firebase", #"{"sign_in_second_factor":"totp"}"#)
        #expect(try verdict(token) { $0.secondFactor = true } == "passes")
        #expect(try verdict { $0.secondFactor = true } == "secondFactorRequired")
    }

    @Test func `conditions are checked in the order revocation, provider, recency, second factor`() throws {
        func verdict(providers: [String]) throws -> String {
            try self.verdict(.signedIn(4000)) {
                $0.providers = providers
                $0.recentSignIn = 300
                $0.secondFactor = true
            }
        }
        #expect(try verdict(providers: ["google.com"]) == "requiresRecentLogin 300")
        #expect(try verdict(providers: ["apple.com"]) == "permissionDenied")
        try rig.set(user: .since(Self.now))
        #expect(try verdict(providers: ["apple.com"]) == "idTokenRevoked")
        #expect(try verdict(providers: ["google.com"]) == "idTokenRevoked")
    }
}
