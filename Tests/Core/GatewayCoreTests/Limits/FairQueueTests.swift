import GatewayCore
import Testing

@Suite struct FairQueueTests {
    private var queue = FairQueue<Int, String>(limit: 4)

    private mutating func enter(_ elements: ClosedRange<Int>, of owner: String, now: UInt64 = 0) {
        for element in elements { _ = queue.enter(element, of: owner, now: now) }
    }

    private mutating func drain() -> [Int] {
        var taken: [Int] = []
        while let next = queue.next() { taken.append(next) }
        return taken
    }

    @Test mutating func theOwnersTakeTurns() {
        enter(1...2, of: "a")
        enter(3...4, of: "b")
        #expect(drain() == [1, 3, 2, 4])
        #expect(queue.isEmpty && queue.oldest == nil)
    }

    @Test mutating func oneWhoComesIsServedBeforeTheRestOfAnother() {
        enter(1...3, of: "a")
        #expect(queue.next() == 1)
        enter(9...9, of: "b")
        #expect(drain() == [2, 9, 3])
    }

    @Test mutating func anotherGetsTheLatestPlaceOfWhoHasTheMost() {
        enter(1...4, of: "a")
        let admission = queue.enter(5, of: "b", now: 0)
        #expect("\(admission)" == "replaced(4)")
        #expect(drain() == [1, 5, 2, 3])
    }

    @Test mutating func whoHasTheMostIsRefusedWhenAllAreTaken() {
        enter(1...4, of: "a")
        let admission = queue.enter(5, of: "a", now: 0)
        #expect("\(admission)" == "refused")
        #expect(queue.count == 4)
    }

    @Test mutating func whatWaitedTooLongIsTakenOut() {
        enter(1...1, of: "a", now: 10)
        enter(2...2, of: "b", now: 20)
        enter(3...3, of: "a", now: 30)
        #expect(queue.removeAll(enteredBy: 9) == [])
        #expect(queue.removeAll(enteredBy: 20).sorted() == [1, 2])
        #expect(queue.oldest == 30)
        #expect(drain() == [3])
    }

    @Test func anyOrderOfEventsKeepsTheCountsAndTheTurns() {
        var queue = FairQueue<Int, Int>(limit: 16)
        var waiting: [Int: (owner: Int, at: UInt64)] = [:]
        for name in 0..<20_000 {
            let now = UInt64(name)
            switch Int.random(in: 0..<10) {
            case 0:
                let late = queue.removeAll(enteredBy: now - min(now, 30))
                #expect(Set(late) == Set(waiting.filter { $0.value.at <= now - min(now, 30) }.keys))
                for element in late { waiting[element] = nil }
            case 1...4:
                let next = queue.next()
                #expect((next == nil) == waiting.isEmpty)
                if let next {
                    let owner = waiting.removeValue(forKey: next)?.owner
                    #expect(!waiting.contains { $0.value.owner == owner && $0.key < next })
                }
            default:
                let owner = min(Int.random(in: 0..<8), 3)
                switch queue.enter(name, of: owner, now: now) {
                case .admitted: waiting[name] = (owner, now)
                case .replaced(let evicted):
                    waiting[evicted] = nil
                    waiting[name] = (owner, now)
                case .refused: #expect(waiting.count == 16)
                }
            }
            #expect(queue.count == waiting.count)
            #expect((queue.oldest == nil) == waiting.isEmpty)
            if let oldest = queue.oldest { #expect(waiting.values.allSatisfy { $0.at >= oldest }) }
        }
    }
}

@Suite struct RateLimiterTests {
    @Test func aSecondsCallsMayComeAtOnceAndNoMore() {
        var rate = RateLimiter(perSecond: 4)
        let now: UInt64 = 1_000_000_000_000
        var taken = 0
        while rate.take(now: now) { taken += 1 }
        #expect(taken == 4)
        #expect(rate.nextAt == now + 250_000_000)
        var isEarly = rate.take(now: now + 249_999_999)
        #expect(!isEarly)
        isEarly = rate.take(now: now + 250_000_000)
        #expect(isEarly)
    }

    @Test(arguments: [1, 3, 100, 10_000])
    func overLongTimesTheRateHolds(rate: Int) {
        var bucket = RateLimiter(perSecond: rate)
        var taken = 0
        for step in 0..<10_000 {
            while bucket.take(now: 1_000_000_000_000 + UInt64(step) * 1_000_000) { taken += 1 }
        }
        #expect(taken <= rate * 11 + 1)
        #expect(taken >= rate * 10)
    }
}

@Suite struct BoundedTableTests {
    @Test func theOldestGivesItsPlace() {
        var table = BoundedTable<Int, Int>(limit: 3)
        for key in 1...4 { table.set(key * 10, for: key) }
        #expect(table[1] == nil && table[2] == 20 && table[4] == 40)
        #expect(table.count == 3)
    }

    @Test func aKeyHasOnePlace() {
        var table = BoundedTable<Int, Int>(limit: 2)
        table.set(1, for: 1)
        table.set(2, for: 1)
        table.set(3, for: 2)
        #expect(table[1] == 2 && table[2] == 3 && table.count == 2)
    }

    @Test func anyOrderOfEventsKeepsTheBound() {
        var table = BoundedTable<Int, Int>(limit: 8)
        for step in 0..<10_000 {
            let key = Int.random(in: 0..<20)
            if step % 3 == 0 {
                table.remove(key)
                #expect(table[key] == nil)
            } else {
                table.set(step, for: key)
                #expect(table[key] == step)
            }
            #expect(table.count <= 8)
        }
    }
}
