import GatewayCore
import Testing

@testable import Revocation
@testable import StoreFixtures

/// The table is exact: it is no filter, and has nothing to confirm.
@Suite struct StoreViewExactnessTests {
    @Test("H-07: among many users the table answers for those that are in it, and for no other")
    func noFalsePositives() throws {
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

    @Test("H-07: a key that differs from another in one bit has another record", arguments: 0..<128)
    func oneBitTellsUsersApart(_ bit: Int) {
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
