import Authentication
import Authorization
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import GatewayFixtures

/// Decisions with a view that follows a shared store. Only the store itself has the latest records.
@Suite struct SharedStoreDecisionTests {
    private static let now = DecisionRig.now
    private var rig = DecisionRig()

    init() {
        rig.isShared = true
        rig.view.setStale()
        rig.view.confirm(at: 0)
    }

    private func decide(
        _ token: TokenDraft = .idToken(), answer: StoreRecords? = nil, monotonic: UInt64 = 0,
        _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) throws -> (verdict: String, failures: [StoreFailure]) {
        rig.decide(try token.entry(), answer: answer, monotonic: monotonic, adjust)
    }

    private let old = TokenDraft.signedIn(4000)
    private let nothing = StoreRecords.records(user: UserLookup.none, session: SessionLookup.none)

    private func strict(_ policy: inout RoutePolicy) { policy.revocation = .strict }
    private func recent(_ policy: inout RoutePolicy) { policy.recentSignIn = 300 }

    // MARK: - Replicated

    @Test func `H-03: a replicated route queries no store, and a revocation in the view applies immediately`() throws {
        #expect(try decide().verdict == "passes")
        try rig.set(user: .since(Self.now))
        #expect(try decide().verdict == "idTokenRevoked")
    }

    // MARK: - Strict

    @Test func `a strict route queries the store itself and does not need the view`() throws {
        #expect(try decide(.idToken(), strict).verdict == "queries 3")
        let half = StoreRecords.records(user: nil, session: SessionLookup.none)
        #expect(try decide(answer: half, strict).verdict == "queries 3")
        rig.view.setStale()
        #expect(try decide(answer: nothing, strict).verdict == "passes")
    }

    @Test(arguments: [
        (UserLookup.none, SessionLookup.none, "passes"), (.validSince(100), .none, "passes"),
        (.validSince(99), .none, "idTokenRevoked"), (.record(validSince: nil, disabled: true), .none, "userDisabled"),
        (.record(validSince: UnixTime(clamping: ManualClock.start), disabled: true), .none, "userDisabled"),
        (.faulty, .none, "storeUnavailable"), (.none, .record(revoked: true, signedInAt: nil), "idTokenRevoked"),
        (.none, .record(revoked: false, signedInAt: 5), "passes"), (.none, .faulty, "storeUnavailable"),
    ])
    func `the records of the store decide`(_ user: UserLookup, _ session: SessionLookup, _ verdict: String) throws {
        #expect(try decide(answer: .records(user: user, session: session), strict).verdict == verdict)
    }

    @Test func `a record in the view applies although the store returns none`() throws {
        try rig.set(user: UserRecord(disabled: true))
        #expect(try decide(answer: nothing, strict).verdict == "userDisabled")
    }

    @Test(arguments: [StoreFailure.timedOut, .unreachable, .overloaded, .refused])
    func `H-04: a store that does not respond is 503 unless the route allows it`(_ failure: StoreFailure) throws {
        #expect(try decide(answer: .failed(failure), strict) == ("storeUnavailable", [failure]))
        let allowed = try decide(answer: .failed(failure)) {
            $0.revocation = .strict
            $0.allowsOnStoreFailure = true
        }
        #expect(allowed == ("passes", [failure]))
    }

    @Test(
        arguments: [
            (StoreRecords.failed(.timedOut), 0, RoutePolicy.Revocation.strict), (nil, 100, .replicated),
        ] as [(StoreRecords?, UInt64, RoutePolicy.Revocation)])
    func `H-04: an allowed failure does not hide a revocation in the view`(
        answer: StoreRecords?, monotonic: UInt64, revocation: RoutePolicy.Revocation
    ) throws {
        try rig.set(user: .since(Self.now))
        let decision = try decide(answer: answer, monotonic: monotonic) {
            $0.revocation = revocation
            $0.allowsOnStoreFailure = true
        }
        #expect(decision == ("idTokenRevoked", []))
    }

    @Test(arguments: [RoutePolicy.Revocation.strict, .replicated])
    func `H-04: a faulty record of the user does not hide a revoked session`(
        _ revocation: RoutePolicy.Revocation
    ) throws {
        rig.view.setUser(try TokenDraft.idToken().principal().userKey, to: .faulty)
        try rig.set(session: SessionRecord(revoked: true), of: .idToken())
        let answer = StoreRecords.records(user: .faulty, session: .record(revoked: true, signedInAt: nil))
        let decision = try decide(answer: revocation == .strict ? answer : nil) {
            $0.revocation = revocation
            $0.allowsOnStoreFailure = true
        }
        #expect(decision == ("idTokenRevoked", []))
    }

    // MARK: - Recent sign-in

    @Test func `the store is queried only if the token is not recent, even if the view has a sign-in`() throws {
        #expect(try decide(.idToken(), recent).verdict == "passes")
        #expect(try decide(old, recent).verdict == "queries 2")
        try rig.set(session: SessionRecord(signedInAt: UnixTime(clamping: Self.now)), of: old)
        #expect(try decide(old, recent).verdict == "queries 2")
    }

    @Test(arguments: [
        (SessionLookup.none, "requiresRecentLogin 300"),
        (.record(revoked: false, signedInAt: UnixTime(clamping: ManualClock.start - 20)), "passes at -20"),
        (.record(revoked: false, signedInAt: UnixTime(clamping: ManualClock.start - 301)), "requiresRecentLogin 300"),
        (.record(revoked: false, signedInAt: nil), "requiresRecentLogin 300"),
        (.record(revoked: true, signedInAt: UnixTime(clamping: ManualClock.start - 20)), "idTokenRevoked"),
        (.faulty, "storeUnavailable"),
    ])
    func `the recorded sign-in decides`(_ session: SessionLookup, _ verdict: String) throws {
        #expect(try decide(old, answer: .records(user: nil, session: session), recent).verdict == verdict)
    }

    @Test func `one query serves revocation and recency`() throws {
        let answer = StoreRecords.records(
            user: UserLookup.none, session: .record(revoked: false, signedInAt: UnixTime(clamping: Self.now - 20)))
        let policy: (inout RoutePolicy) -> Void = {
            $0.revocation = .strict
            $0.recentSignIn = 300
        }
        #expect(try decide(old, policy).verdict == "queries 3")
        #expect(try decide(old, answer: answer, policy).verdict == "passes at -20")
    }

    @Test func `recency is never assumed`() throws {
        let decision = try decide(old, answer: .failed(.timedOut)) {
            $0.recentSignIn = 300
            $0.allowsOnStoreFailure = true
        }
        #expect(decision == ("storeUnavailable", [.timedOut]))
    }
}
