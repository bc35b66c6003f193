import GatewayCore
import Testing

@testable import Revocation
@testable import StoreFixtures

/// The table of records that requests read.
@Suite struct StoreViewTests {
    let view = StoreView()

    func key(_ number: Int) -> StoreKey { .numbered(number) }

    @Test func `a miss is not an error`() {
        #expect(view.user(key(1)) == .none)
        #expect(view.session(key(1)) == .none)
    }

    @Test func `a reader and the view return the same`() {
        let reader = view.reader()
        view.setUser(key(1), to: RecordWord(UserRecord(validSince: 5, disabled: true)))
        view.setSession(key(2), to: RecordWord(SessionRecord(revoked: true, signedInAt: 6)))
        #expect(view.user(key(1)) == .record(validSince: 5, disabled: true) && view.session(key(1)) == .none)
        #expect(reader.user(key(1)) == .record(validSince: 5, disabled: true))
        #expect(view.session(key(2)) == .record(revoked: true, signedInAt: 6))
        #expect(reader.session(key(2)) == .record(revoked: true, signedInAt: 6))
    }

    @Test func `a record is replaced`() {
        view.setUser(key(1), to: RecordWord(UserRecord(validSince: 5)))
        view.setUser(key(1), to: .faulty)
        #expect(view.user(key(1)) == .faulty)
        view.setUser(key(1), to: RecordWord(UserRecord(validSince: 6)))
        #expect(view.user(key(1)) == .record(validSince: 6, disabled: false))
        #expect(view.usage.users == 1)
    }

    @Test func `a removed record is a miss and can be added again`() {
        view.setUser(key(1), to: RecordWord(UserRecord(validSince: 5)))
        view.setUser(key(1), to: .none)
        #expect(view.user(key(1)) == .none)
        #expect(view.usage.users == 0)
        view.setUser(key(1), to: RecordWord(UserRecord(validSince: 6)))
        #expect(view.user(key(1)) == .record(validSince: 6, disabled: false))
        #expect(view.usage.users == 1)
    }

    @Test func `removing a missing record uses no space`() {
        let bytes = view.usage.bytes
        for number in 0..<100_000 { view.setUser(key(number), to: .none) }
        #expect(view.usage.bytes == bytes)
    }

    @Test func `keys that share a word are different`() {
        view.setUser(StoreKey(high: 1, low: 1), to: RecordWord(UserRecord(validSince: 1)))
        view.setUser(StoreKey(high: 2, low: 1), to: RecordWord(UserRecord(validSince: 2)))
        view.setUser(StoreKey(high: 1, low: 2), to: RecordWord(UserRecord(validSince: 3)))
        #expect(view.user(StoreKey(high: 1, low: 1)) == .record(validSince: 1, disabled: false))
        #expect(view.user(StoreKey(high: 2, low: 1)) == .record(validSince: 2, disabled: false))
        #expect(view.user(StoreKey(high: 1, low: 2)) == .record(validSince: 3, disabled: false))
        #expect(view.user(StoreKey(high: 2, low: 2)) == .none)
    }

    @Test func `memory is bounded while records are added and removed`() {
        for number in 0..<200_000 {
            view.setSession(key(number), to: RecordWord(SessionRecord(signedInAt: 1)))
            if number >= 1000 { view.setSession(key(number - 1000), to: .none) }
        }
        #expect(view.usage.sessions == 1000)
        #expect(view.usage.bytes < 1 << 20)
        #expect(view.session(key(199_999)) == .record(revoked: false, signedInAt: 1))
        #expect(view.session(key(198_999)) == .none)
    }

    @Test func `memory shrinks when records are removed`() {
        for number in 0..<100_000 { view.setUser(key(number), to: .faulty) }
        let full = view.usage.bytes
        for number in 0..<100_000 { view.setUser(key(number), to: .none) }
        #expect(view.usage.bytes < full / 4)
    }

    @Test func `the age is the time since the last confirmation`() {
        #expect(view.age(monotonicNow: 100) == nil)
        view.confirm(at: 100)
        #expect(view.age(monotonicNow: 100) == 0)
        #expect(view.age(monotonicNow: 150) == 50)
        #expect(view.age(monotonicNow: 99) == 0)
        view.confirm(at: 140)
        #expect(view.age(monotonicNow: 150) == 10)
        view.setStale()
        #expect(view.age(monotonicNow: 150) == nil)
    }

    @Test func `an embedded view is always fresh`() {
        view.setAlwaysFresh()
        #expect(view.age(monotonicNow: .max) == 0)
    }
}

extension StoreKey {
    /// A key that represents a hash of `number`.
    static func numbered(_ number: Int) -> StoreKey {
        StoreKey(high: mix(UInt64(number)), low: mix(UInt64(number) ^ 0x5555_5555_5555_5555))
    }

    private static func mix(_ number: UInt64) -> UInt64 {
        var word = number &+ 0x9e37_79b9_7f4a_7c15
        word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word >> 31)
    }
}

/// The view is exact. It is not a probabilistic filter.
@Suite struct StoreViewExactnessTests {
    @Test func `H-07: the view has a record only for the users that were set`() throws {
        let (view, keys) = (StoreView(), try StoreKeyMaker())
        let count = 50_000
        for number in 0..<count {
            view.setUser(
                try keys.key(user: "user\(number)"),
                to: RecordWord(UserRecord(validSince: UnixTime(clamping: Int64(number)))))
        }
        let reader = view.reader()
        var wrong = 0
        for number in 0..<count {
            let known = reader.user(try keys.key(user: "user\(number)"))
            let unknown = reader.user(try keys.key(user: "other\(number)"))
            if known != .record(validSince: UnixTime(clamping: Int64(number)), disabled: false) || unknown != .none {
                wrong += 1
            }
        }
        #expect(wrong == 0)
        #expect(view.usage.users == count)
    }

    @Test(arguments: 0..<128)
    func `H-07: a key that differs in one bit has another record`(_ bit: Int) {
        let view = StoreView()
        let key = StoreKey.numbered(1)
        let flipped =
            bit < 64
            ? StoreKey(high: key.high ^ (1 << UInt64(bit)), low: key.low)
            : StoreKey(high: key.high, low: key.low ^ (1 << UInt64(bit - 64)))
        view.setUser(key, to: .faulty)
        #expect(view.user(flipped) == .none)
    }
}
