import Testing

@testable import RevocationStores

/// Waits until the view contains a write.
@Suite struct ReplicaProgressTests {
    let progress = ReplicaProgress()
    static let long = Duration.seconds(60)

    private func id(_ number: UInt64) -> ReplicaStreamID { ReplicaStreamID(milliseconds: number, sequence: 0) }

    @Test func `an entry that was reached needs no wait`() async {
        progress.reached(id(5))
        for number: UInt64 in [0, 4, 5] { #expect(await progress.wait(for: id(number), atMost: Self.long)) }
    }

    @Test func `a wait ends when its entry is passed`() async {
        progress.reached(id(5))
        async let first = progress.wait(for: id(6), atMost: Self.long)
        async let second = progress.wait(for: id(7), atMost: Self.long)
        progress.reached(id(6))
        #expect(await first)
        progress.reached(id(9))
        #expect(await second)
    }

    @Test func `a wait for the first load ends with it`() async {
        async let isLoaded = progress.wait(for: .zero, atMost: Self.long)
        progress.reached(.zero)
        #expect(await isLoaded)
    }

    @Test func `a wait is bounded`() async {
        #expect(await !progress.wait(for: .zero, atMost: .milliseconds(1)))
        progress.reached(id(5))
        #expect(await !progress.wait(for: id(6), atMost: .milliseconds(1)))
    }

    @Test func `closing ends every wait`() async {
        async let first = progress.wait(for: id(1), atMost: Self.long)
        progress.close()
        #expect(await !first)
        #expect(await !progress.wait(for: id(1), atMost: Self.long))
    }

    @Test func `a smaller id ends the wait, too`() async {
        progress.reached(id(9))
        progress.reached(id(3))
        #expect(await !progress.wait(for: id(4), atMost: .milliseconds(1)))
        #expect(await progress.wait(for: id(3), atMost: Self.long))
    }

    @Test func `an entry of the last connection is no longer reached`() async {
        progress.reached(id(9))
        progress.reached(nil)
        #expect(await !progress.wait(for: id(4), atMost: .milliseconds(1)))
        progress.reached(id(9))
        #expect(await progress.wait(for: id(4), atMost: Self.long))
    }

    @Test func `each of many concurrent waits ends`() async {
        let count = await withTaskGroup(of: Bool.self) { group in
            for number in 1...500 as ClosedRange<UInt64> {
                group.addTask { await progress.wait(for: id(number), atMost: Self.long) }
            }
            group.addTask {
                for number in 1...500 as ClosedRange<UInt64> { progress.reached(id(number)) }
                return true
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(count == 501)
    }
}
