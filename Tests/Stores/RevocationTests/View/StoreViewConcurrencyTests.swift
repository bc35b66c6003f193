import Foundation
import GatewayCore
import Synchronization
import Testing

@testable import Revocation

/// Concurrent readers and a writer.
@Suite struct StoreViewConcurrencyTests {
    /// The acknowledged writes, and the results of the readers.
    final class Progress: Sendable {
        let written = Atomic<Int>(0)
        let wrong = Atomic<Int>(0)
        let reads = Atomic<Int>(0)
    }

    static let total = 200_000

    @Test func `readers never lose a record while the table grows`() async throws {
        let (view, progress) = (StoreView(), Progress())
        await withTaskGroup(of: Void.self) { group in
            for seed in 1...2 {
                group.addTask { await Self.onThread { Self.read(view.reader(), progress, seed: UInt64(seed)) } }
            }
            group.addTask { await Self.onThread { Self.write(view, progress) } }
        }
        #expect(progress.wrong.load(ordering: .relaxed) == 0)
        #expect(progress.reads.load(ordering: .relaxed) > 0)
        #expect(view.usage.users == Self.total)
        #expect(view.usage.bytes < 40 * Self.total)
    }

    /// Runs `body` on a new thread, because the shared threads can be too few for all concurrent tasks.
    private static func onThread(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { done in
            Thread {
                body()
                done.resume()
            }.start()
        }
    }

    /// Adds records, sometimes changes an older one, and publishes its progress.
    private static func write(_ view: StoreView, _ progress: Progress) {
        for number in 0..<total {
            let record = UserRecord(validSince: UnixTime(clamping: Int64(number)), disabled: false)
            view.setUser(.numbered(number), to: RecordWord(record))
            progress.written.store(number + 1, ordering: .releasing)
            guard number % 8 == 0 else { continue }
            let older = UserRecord(validSince: UnixTime(Int64(number / 2)), disabled: number % 16 == 0)
            view.setUser(.numbered(number / 2), to: RecordWord(older))
        }
    }

    /// Reads acknowledged records, which must be correct, and records that were never written.
    private static func read(_ reader: StoreReader, _ progress: Progress, seed: UInt64) {
        var (state, reads) = (seed, 0)
        while true {
            let written = progress.written.load(ordering: .acquiring)
            if written == total { break }
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let number = Int(state >> 33) % max(written, 1)
            if written > 0, !isRight(reader.user(.numbered(number)), number) {
                progress.wrong.add(1, ordering: .relaxed)
            }
            if reader.user(.numbered(total + number)) != .none { progress.wrong.add(1, ordering: .relaxed) }
            reads += 1
        }
        progress.reads.add(reads, ordering: .relaxed)
    }

    private static func isRight(_ lookup: UserLookup, _ number: Int) -> Bool {
        guard case .record(let validSince, _) = lookup else { return false }
        return validSince == UnixTime(Int64(number))
    }

    @Test func `a replaced block is kept while a reader may use it`() {
        let lanes = ReaderLanes()
        let table = ShardedTable(lanes: lanes)
        func fill(_ range: Range<Int>) -> Int {
            for number in range { table.set(.numbered(number), to: .faulty) }
            return table.usage.bytes
        }
        let before = fill(0..<10_000)
        lanes.enter(5)
        let held = fill(10_000..<20_000)
        lanes.leave(5)
        let after = table.usage.bytes
        #expect(held > after + before / 2)
        #expect(after < 2 * 20_000 * 40)
    }

    @Test func `a later reader holds no block`() {
        let lanes = ReaderLanes()
        #expect(lanes.busy(among: .max) == 0)
        lanes.enter(3)
        lanes.enter(3 + ReaderLanes.count)
        #expect(lanes.busy(among: .max) == 1 << 3)
        #expect(lanes.busy(among: ~(1 << 3)) == 0)
        lanes.leave(3)
        #expect(lanes.busy(among: .max) == 1 << 3)
        lanes.leave(3)
        #expect(lanes.busy(among: .max) == 0)
    }
}
