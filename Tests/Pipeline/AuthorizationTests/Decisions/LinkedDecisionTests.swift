import Authorization
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Decisions about providers' own tokens whose identity belongs to an account: what is known of either counts.
@Suite struct LinkedDecisionTests {
    private static let now = ManualClock.start
    private let view = StoreView()

    init() {
        view.setAlwaysFresh()
    }

    private func principal(_ account: AccountRecord? = AccountRecord(uid: "ada", created: 1)) throws -> Principal {
        let hasher = try SHA256Hasher.required()
        let derived = try #require(Principal(try .made(), hasher: hasher))
        guard let account else { return derived }
        return try #require(derived.owned(by: account, hasher: hasher))
    }

    private func verdict(
        _ principal: Principal, answer: StoreAnswer? = nil, isShared: Bool = false, asksFirebase: Bool = false,
        _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) -> String {
        var policy = RoutePolicy()
        adjust(&policy)
        let entry = VerifiedTokenCache.Entry(
            principal: principal, verifier: 0, keySetGeneration: 1,
            identity: RenderedIdentity(bytes: [], lengthBeforeTime: 0, isTooLarge: false))
        let authorizer = Authorizer(
            store: view.reader(), viewIsAuthoritative: !isShared, clockSkew: 5, maxStaleness: 60,
            asksFirebase: asksFirebase)
        let context = DecisionContext(now: Self.now, monotonic: 0, mayWait: false, answer: answer)
        return switch authorizer.decide(policy, identity: entry, in: context, storeFailure: { _ in }) {
        case .permit: "passes"
        case .deny(let denial): "\(denial.code)"
        case .awaitStore: "waits"
        case .queryStore(let question): "asks \(question.rawValue)"
        case .lookUp: "looks up"
        }
    }

    private func set(_ uid: String, _ record: UserRecord) throws {
        let key = try #require(StoreKey(user: uid, hasher: try SHA256Hasher.required()))
        view.setUser(key, to: RecordWord(record))
    }

    @Test(arguments: ["ada", "google.com:104"])
    func whicheverOfTheTwoIsRevokedRevokes(_ uid: String) throws {
        let principal = try principal()
        #expect(verdict(principal) == "passes")
        try set(uid, UserRecord(validSince: UnixTime(clamping: Self.now - 100)))
        #expect(verdict(principal) == "passes")
        try set(uid, UserRecord(validSince: UnixTime(clamping: Self.now - 99)))
        #expect(verdict(principal) == "idTokenRevoked")
        #expect(verdict(principal) { $0.revocation = .strict } == "idTokenRevoked")
        #expect(verdict(principal) { $0.revocation = .off } == "passes")
    }

    @Test("H-02: disabled is told before revoked, whichever of the two it is")
    func disabled() throws {
        try set("ada", UserRecord(validSince: UnixTime(clamping: Self.now)))
        try set("google.com:104", UserRecord(disabled: true))
        #expect(verdict(try principal()) == "userDisabled")
        try set("ada", UserRecord(disabled: true))
        try set("google.com:104", UserRecord(validSince: UnixTime(clamping: Self.now)))
        #expect(verdict(try principal()) == "userDisabled")
    }

    @Test(arguments: ["ada", "google.com:104"])
    func aRecordThatCannotBeReadDoesNotHideWhatTheOtherSays(_ faulty: String) throws {
        let key = try #require(StoreKey(user: faulty, hasher: try SHA256Hasher.required()))
        view.setUser(key, to: .faulty)
        #expect(verdict(try principal()) == "storeUnavailable")
        #expect(verdict(try principal()) { $0.allowsOnStoreFailure = true } == "passes")
        try set(faulty == "ada" ? "google.com:104" : "ada", UserRecord(validSince: UnixTime(clamping: Self.now)))
        #expect(verdict(try principal()) { $0.allowsOnStoreFailure = true } == "idTokenRevoked")
    }

    @Test func anIdentityWithoutAnOwnerHasOneRecord() throws {
        let principal = try principal(nil)
        try set("ada", UserRecord(disabled: true))
        #expect(verdict(principal) == "passes")
        #expect(verdict(principal, isShared: true) { $0.revocation = .strict } == "asks 1")
    }

    // MARK: - The store itself

    @Test func aStrictRouteAsksOfBoth() throws {
        #expect(verdict(try principal(), isShared: true) { $0.revocation = .strict } == "asks 5")
        let half = StoreAnswer.records(user: UserLookup.none, session: nil)
        #expect(verdict(try principal(), answer: half, isShared: true) { $0.revocation = .strict } == "asks 5")
    }

    @Test(arguments: [
        (UserLookup.none, UserLookup.none, "passes"),
        (.none, .record(validSince: UnixTime(clamping: ManualClock.start - 99), disabled: false), "idTokenRevoked"),
        (.record(validSince: UnixTime(clamping: ManualClock.start - 99), disabled: false), .none, "idTokenRevoked"),
        (
            .record(validSince: UnixTime(clamping: ManualClock.start), disabled: false),
            .record(validSince: nil, disabled: true),
            "userDisabled"
        ),
        (.none, .faulty, "storeUnavailable"), (.faulty, .none, "storeUnavailable"),
        (.faulty, .record(validSince: nil, disabled: true), "userDisabled"),
    ])
    func theStricterAnswerDecides(_ user: UserLookup, _ link: UserLookup, _ expected: String) throws {
        let answer = StoreAnswer.records(user: user, session: nil, link: link)
        #expect(verdict(try principal(), answer: answer, isShared: true) { $0.revocation = .strict } == expected)
    }

    @Test func h04AllowDoesNotForgetWhatTheViewKnowsOfTheLink() throws {
        try set("google.com:104", UserRecord(validSince: UnixTime(clamping: Self.now)))
        let verdict = verdict(try principal(), answer: .failed(.timedOut), isShared: true) {
            $0.revocation = .strict
            $0.allowsOnStoreFailure = true
        }
        #expect(verdict == "idTokenRevoked")
    }

    // MARK: - Identity Toolkit

    @Test func anAccountOfFirebasesIsLookedUpThere() throws {
        #expect(verdict(try principal(AccountRecord(uid: "ada", created: nil)), asksFirebase: true) == "looks up")
        #expect(verdict(try principal(AccountRecord(uid: "ada", created: 1)), asksFirebase: true) == "passes")
    }
}
