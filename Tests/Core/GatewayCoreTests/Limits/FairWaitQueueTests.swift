import Testing

@testable import GatewayCore

@Suite struct FairWaitQueueTests {
    typealias Room = FairWaitQueue<Int, String>

    private var room = Room(limit: 4)

    private mutating func enter(_ waiters: ClosedRange<Int>, of owner: String) {
        for waiter in waiters { _ = room.enter(waiter, of: owner) }
    }

    @Test mutating func oneMayHaveEveryPlaceThatNobodyWants() {
        for waiter in 1...4 { #expect("\(room.enter(waiter, of: "a"))" == "admitted") }
        #expect(room.count == 4)
        #expect(room.count(of: "a") == 4)
    }

    @Test mutating func whoHasTheMostIsRefusedWhenAllAreTaken() {
        enter(1...4, of: "a")
        #expect("\(room.enter(5, of: "a"))" == "refused")
        #expect(room.count == 4)
    }

    @Test mutating func anotherGetsTheLatestPlaceOfWhoHasTheMost() {
        enter(1...4, of: "a")
        #expect("\(room.enter(5, of: "b"))" == "replaced(4)")
        #expect("\(room.enter(6, of: "b"))" == "replaced(3)")
        #expect(Array(room.waiters) == [1, 2, 5, 6])
    }

    @Test mutating func placesAreNotTakenFromEqualsForEver() {
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

    @Test mutating func whoLeavesGivesThePlaceBack() {
        enter(1...4, of: "a")
        #expect(room.remove { $0 % 2 == 0 } == [2, 4])
        #expect(room.count(of: "a") == 2)
        #expect("\(room.enter(5, of: "a"))" == "admitted")
        #expect(room.remove { $0 == 9 } == [])
        #expect(Array(room.waiters) == [1, 3, 5])
    }

    @Test func anyOrderOfEventsKeepsTheCountsAndTheShares() {
        var random = SystemRandomNumberGenerator()
        var room = FairWaitQueue<(name: Int, owner: Int), Int>(limit: 16)
        for name in 0..<20_000 {
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
    @Test func tellsWhoHasTheMost() {
        var tally = Tally<String>()
        #expect(tally.leader == nil)
        for owner in ["a", "b", "b"] { tally.add(owner) }
        #expect(tally.leader == "b" && tally.most == 2)
        tally.add("a")
        tally.add("a")
        #expect(tally.leader == "a" && tally.most == 3)
    }

    @Test func goesDownAgainToNothing() {
        var tally = Tally<String>()
        for owner in ["a", "b", "b"] { tally.add(owner) }
        tally.remove("b")
        #expect(tally.most == 1)
        tally.remove("b")
        #expect(tally.leader == "a" && tally.most == 1)
        tally.remove("a")
        tally.remove("a")
        #expect(tally.leader == nil && tally.most == 0 && tally.count(of: "a") == 0)
    }
}
