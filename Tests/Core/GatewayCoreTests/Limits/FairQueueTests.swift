import Testing

@testable import GatewayCore
@testable import SystemFixtures

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

    @Test mutating func `the owners take turns`() {
        enter(1...2, of: "a")
        enter(3...4, of: "b")
        #expect(drain() == [1, 3, 2, 4])
        #expect(queue.isEmpty && queue.oldest == nil)
    }

    @Test mutating func `a new owner is served before the rest of another owner`() {
        enter(1...3, of: "a")
        #expect(queue.next() == 1)
        enter(9...9, of: "b")
        #expect(drain() == [2, 9, 3])
    }

    @Test mutating func `a new owner evicts the latest element of the owner with the most`() {
        enter(1...4, of: "a")
        for (owner, expected) in [("a", "refused"), ("b", "replaced(4)")] {
            let admission = queue.enter(5, of: owner, now: 0)
            #expect("\(admission)" == expected)
            #expect(queue.count == 4)
        }
        #expect(drain() == [1, 5, 2, 3])
    }

    @Test mutating func `elements that waited too long are removed`() {
        enter(1...1, of: "a", now: 10)
        enter(2...2, of: "b", now: 20)
        enter(3...3, of: "a", now: 30)
        #expect(queue.removeAll(enteredBy: 9) == [])
        #expect(queue.removeAll(enteredBy: 20).sorted() == [1, 2])
        #expect(queue.oldest == 30)
        #expect(drain() == [3])
    }

    @Test func `any order of events keeps the counts and the turns`() {
        var queue = FairQueue<Int, Int>(limit: 16)
        var waiting: [Int: (owner: Int, at: UInt64)] = [:]
        for name in 0..<Thoroughness.rounds(4000, full: 20_000) {
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
    @Test func `only the calls of one second can start at once`() {
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
    func `the rate holds over a long time`(rate: Int) {
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
    @Test func `the oldest entry is evicted`() {
        var table = BoundedTable<Int, Int>(limit: 3)
        for key in 1...4 { table.set(key * 10, for: key) }
        #expect(table[1] == nil && table[2] == 20 && table[4] == 40)
        #expect(table.count == 3)
    }

    @Test func `a key has one entry`() {
        var table = BoundedTable<Int, Int>(limit: 2)
        table.set(1, for: 1)
        table.set(2, for: 1)
        table.set(3, for: 2)
        #expect(table[1] == 2 && table[2] == 3 && table.count == 2)
    }

    @Test func `any order of operations keeps the bound`() {
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

@Suite struct FairWaitQueueTests {
    typealias Room = FairWaitQueue<Int, String>

    private var room = Room(limit: 4)

    private mutating func enter(_ waiters: ClosedRange<Int>, of owner: String) {
        for waiter in waiters { _ = room.enter(waiter, of: owner) }
    }

    @Test mutating func `a new owner evicts the latest waiter of the owner with the most`() {
        for waiter in 1...4 { #expect("\(room.enter(waiter, of: "a"))" == "admitted") }
        #expect(room.count(of: "a") == 4)
        #expect("\(room.enter(5, of: "a"))" == "refused")
        #expect("\(room.enter(5, of: "b"))" == "replaced(4)")
        #expect("\(room.enter(6, of: "b"))" == "replaced(3)")
        #expect(Array(room.waiters) == [1, 2, 5, 6])
    }

    @Test mutating func `owners with equal shares do not evict each other`() {
        enter(1...2, of: "a")
        enter(3...4, of: "b")
        #expect("\(room.enter(5, of: "a"))" == "refused")
        enter(1...1, of: "c")
        #expect(room.count(of: "c") == 1)
        #expect(room.count(of: "a") + room.count(of: "b") == 3)
        let latest = room.count(of: "a") == 2 ? 2 : 4
        #expect("\(room.enter(6, of: "d"))" == "replaced(\(latest))")
        #expect("\(room.enter(7, of: "e"))" == "refused")
    }

    @Test mutating func `a removed waiter frees its entry`() {
        enter(1...4, of: "a")
        #expect(room.remove { $0 % 2 == 0 } == [2, 4])
        #expect(room.count(of: "a") == 2)
        #expect("\(room.enter(5, of: "a"))" == "admitted")
        #expect(room.remove { $0 == 9 } == [])
        #expect(Array(room.waiters) == [1, 3, 5])
    }

    @Test func `any order of events keeps the counts and the shares`() {
        var random = SystemRandomNumberGenerator()
        var room = FairWaitQueue<(name: Int, owner: Int), Int>(limit: 16)
        for name in 0..<Thoroughness.rounds(4000, full: 20_000) {
            let owner = min(Int.random(in: 0..<8, using: &random), 3)
            if name % 3 == 0 {
                let gone = Int.random(in: max(0, name - 40)...name, using: &random)
                _ = room.remove { $0.name == gone }
            } else if case .refused = room.enter((name, owner), of: owner) {
                #expect(room.count == 16)
                #expect(room.count(of: owner) + 1 >= (0..<4).map { room.count(of: $0) }.max() ?? 0)
            }
            #expect(room.count <= 16)
            for owner in 0..<4 {
                #expect(room.count(of: owner) == Array(room.waiters).filter { $0.owner == owner }.count)
            }
        }
    }
}

@Suite struct TallyTests {
    @Test func `the leader has the most entries until they are removed`() {
        var tally = Tally<String>()
        #expect(tally.leader == nil)
        for owner in ["a", "b", "b"] { tally.add(owner) }
        #expect(tally.leader == "b" && tally.most == 2)
        for _ in 1...2 { tally.add("a") }
        #expect(tally.leader == "a" && tally.most == 3)
        for _ in 1...2 { tally.remove("b") }
        #expect(tally.leader == "a" && tally.most == 3)
        for _ in 1...4 { tally.remove("a") }
        #expect(tally.leader == nil && tally.most == 0 && tally.count(of: "a") == 0)
    }
}
