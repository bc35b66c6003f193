import GatewayCore
import Testing

@testable import Revocation

/// Reads of all records again, in place.
@Suite struct StoreViewRereadTests {
    let view = StoreView()

    func key(_ number: Int) -> StoreKey { .numbered(number) }

    func set(_ number: Int, _ validSince: Int64 = 5) {
        view.setUser(key(number), to: RecordWord(UserRecord(validSince: UnixTime(clamping: validSince))))
    }

    @discardableResult
    func sweep(_ reread: StoreView.Reread) -> Int {
        (0..<StoreView.sweepSlices).reduce(0) { $0 + view.sweep(reread, slice: $1) }
    }

    @Test func `records apply until the sweep`() {
        set(1)
        view.setSession(key(1), to: .faulty)
        let reread = view.beginReread()
        #expect(view.user(key(1)) == .record(validSince: 5, disabled: false))
        #expect(view.session(key(1)) == .faulty)
        #expect(sweep(reread) == 2)
        #expect(view.user(key(1)) == .none && view.session(key(1)) == .none)
        #expect(view.usage.users == 0)
    }

    @Test func `a record that was read again stays`() {
        set(1)
        view.setSession(key(2), to: RecordWord(SessionRecord(revoked: true)))
        let reread = view.beginReread()
        set(1)
        view.setSession(key(2), to: RecordWord(SessionRecord(revoked: true)))
        #expect(sweep(reread) == 0)
        #expect(view.user(key(1)) == .record(validSince: 5, disabled: false))
        #expect(view.session(key(2)) == .record(revoked: true, signedInAt: nil))
    }

    @Test func `a record that was removed and added again stays`() {
        set(1)
        let reread = view.beginReread()
        view.setUser(key(1), to: .none)
        set(1, 9)
        #expect(sweep(reread) == 0)
        #expect(view.user(key(1)) == .record(validSince: 9, disabled: false))
    }

    @Test func `a sweep of an earlier read removes nothing`() {
        set(1)
        let first = view.beginReread()
        set(1)
        let second = view.beginReread()
        #expect(sweep(first) == 0)
        #expect(view.user(key(1)) != .none)
        #expect(sweep(second) == 1)
    }

    @Test(arguments: [0, 1, 7, 1 << 18, (1 << 19) - 1, 1 << 19, (1 << 19) + 1])
    func `the generation is not a part of a record`(_ generation: UInt64) {
        let records = [
            RecordWord(UserRecord(validSince: .latest, disabled: true)),
            RecordWord(UserRecord(validSince: 0)), RecordWord(UserRecord(disabled: true)), .faulty, .none,
        ]
        for record in records {
            let stamped = record.stamped(generation)
            #expect(stamped == record)
            #expect(stamped.user == record.user)
            #expect(stamped.session == record.session)
            #expect(record == .none || stamped.isOf(generation))
            #expect(record == .none || !stamped.isOf(generation + 1))
        }
        #expect(RecordWord.none.stamped(generation).bits == 0)
    }

    @Test func `faulty records are counted across reads`() {
        view.setUser(key(1), to: .faulty)
        view.setUser(key(2), to: .faulty)
        view.setSession(key(1), to: .faulty)
        #expect(view.faultyRecords == 3)
        let reread = view.beginReread()
        view.setUser(key(1), to: .faulty)
        #expect(view.faultyRecords == 3)
        sweep(reread)
        #expect(view.faultyRecords == 1)
        set(1)
        #expect(view.faultyRecords == 0)
        view.setUser(key(1), to: .faulty)
        view.setUser(key(1), to: .none)
        #expect(view.faultyRecords == 0)
    }

    @Test func `a read needs no more memory`() {
        for number in 0..<100_000 { set(number) }
        let bytes = view.usage.bytes
        for _ in 0..<3 {
            let reread = view.beginReread()
            for number in 0..<100_000 { set(number) }
            sweep(reread)
        }
        #expect(view.usage.bytes == bytes)
        #expect(view.usage.users == 100_000)
    }

    @Test func `memory shrinks when a sweep removes many records`() {
        for number in 0..<100_000 { set(number) }
        let bytes = view.usage.bytes
        let reread = view.beginReread()
        for number in 0..<100 { set(number) }
        #expect(sweep(reread) == 99_900)
        #expect(view.usage.bytes < bytes / 4)
        #expect(view.usage.users == 100)
        #expect(view.user(key(99)) == .record(validSince: 5, disabled: false))
    }
}
