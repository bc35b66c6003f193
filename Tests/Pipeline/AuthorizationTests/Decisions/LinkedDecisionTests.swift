import Authorization
import GatewayCore
import JOSE
import Revocation
import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures
@testable import StoreFixtures

/// Decisions about provider tokens whose identity belongs to an account. The records of both names apply.
@Suite struct LinkedDecisionTests {
    private static let now = DecisionRig.now
    private static let ada = AccountRecord(uid: "ada", created: 1)
    private let rig = DecisionRig()

    private func verdict(
        ownedBy account: AccountRecord? = LinkedDecisionTests.ada, answer: StoreRecords? = nil, isShared: Bool = false,
        queriesFirebase: Bool = false, _ adjust: (inout RoutePolicy) -> Void = { _ in }
    ) throws -> String {
        let hasher = try SHA256Hasher.required()
        let derived = try #require(Principal(try .made(), hasher: hasher))
        let principal = try account.map { try #require(derived.owned(by: $0, hasher: hasher)) } ?? derived
        var rig = rig
        (rig.isShared, rig.queriesFirebase) = (isShared, queriesFirebase)
        return rig.decide(.of(principal), answer: answer, adjust).verdict
    }

    private func key(_ uid: String) throws -> StoreKey {
        try #require(StoreKey(user: uid, hasher: try SHA256Hasher.required()))
    }

    private func strict(_ policy: inout RoutePolicy) { policy.revocation = .strict }
    private func allow(_ policy: inout RoutePolicy) { policy.allowsOnStoreFailure = true }

    @Test(arguments: ["ada", "google.com:104"])
    func `a revocation of either name revokes`(_ uid: String) throws {
        #expect(try verdict() == "passes")
        rig.set(user: try key(uid), to: .since(Self.now - 100))
        #expect(try verdict() == "passes")
        rig.set(user: try key(uid), to: .since(Self.now - 99))
        #expect(try verdict() == "idTokenRevoked")
        #expect(try verdict(strict) == "idTokenRevoked")
        #expect(try verdict { $0.revocation = .off } == "passes")
    }

    @Test(arguments: [("ada", "google.com:104"), ("google.com:104", "ada")])
    func `H-02: disabled is reported before revoked, whichever name it concerns`(_ uid: String, _ other: String) throws
    {
        rig.set(user: try key(uid), to: .since(Self.now))
        rig.set(user: try key(other), to: UserRecord(disabled: true))
        #expect(try verdict() == "userDisabled")
    }

    @Test(arguments: [("ada", "google.com:104"), ("google.com:104", "ada")])
    func `a faulty record does not hide the other record`(_ faulty: String, _ other: String) throws {
        rig.view.setUser(try key(faulty), to: .faulty)
        #expect(try verdict() == "storeUnavailable")
        #expect(try verdict(allow) == "passes")
        rig.set(user: try key(other), to: .since(Self.now))
        #expect(try verdict(allow) == "idTokenRevoked")
    }

    @Test func `an identity without an owner has one record`() throws {
        rig.set(user: try key("ada"), to: UserRecord(disabled: true))
        #expect(try verdict(ownedBy: nil) == "passes")
        #expect(try verdict(ownedBy: nil, isShared: true, strict) == "queries 1")
    }

    // MARK: - The store itself

    @Test func `a strict route queries both records`() throws {
        #expect(try verdict(isShared: true, strict) == "queries 5")
        let half = StoreRecords.records(user: UserLookup.none, session: nil)
        #expect(try verdict(answer: half, isShared: true, strict) == "queries 5")
    }

    @Test(arguments: [
        (UserLookup.none, UserLookup.none, "passes"), (.none, .validSince(99), "idTokenRevoked"),
        (.validSince(99), .none, "idTokenRevoked"),
        (.validSince(0), .record(validSince: nil, disabled: true), "userDisabled"),
        (.none, .faulty, "storeUnavailable"), (.faulty, .none, "storeUnavailable"),
        (.faulty, .record(validSince: nil, disabled: true), "userDisabled"),
    ])
    func `the stricter record decides`(_ user: UserLookup, _ link: UserLookup, _ expected: String) throws {
        let answer = StoreRecords.records(user: user, session: nil, link: link)
        #expect(try verdict(answer: answer, isShared: true, strict) == expected)
    }

    @Test func `H-04: an allowed failure does not hide a revocation of the link in the view`() throws {
        rig.set(user: try key("google.com:104"), to: .since(Self.now))
        let verdict = try verdict(answer: .failed(.timedOut), isShared: true) {
            $0.revocation = .strict
            $0.allowsOnStoreFailure = true
        }
        #expect(verdict == "idTokenRevoked")
    }

    // MARK: - Identity Toolkit

    @Test func `only an account of Firebase is looked up there`() throws {
        #expect(try verdict(ownedBy: AccountRecord(uid: "ada", created: nil), queriesFirebase: true) == "looks up")
        #expect(try verdict(queriesFirebase: true) == "passes")
    }
}
