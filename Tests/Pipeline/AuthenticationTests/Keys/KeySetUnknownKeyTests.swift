import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite("A token that names a key that the set has not")
struct KeySetUnknownKeyTests {
    @Test("F-06: the source rotates: one fetch that all share, and the request succeeds")
    func rotation() throws {
        let (old, new) = (try TestKey("old"), try TestKey("new"))
        var harness = try MachineHarness(loaded: [old])
        let since = harness.view.completedFetches
        #expect(harness.lookup("new").isFetch)
        for _ in 0..<100 { harness.send(.unknownKeyAsked) }
        #expect(harness.fetches == 2)
        #expect(harness.lookup("new", waitingSince: since).isFetch)
        let outcome = harness.send(.fetched(try FetchedKeySet([old, new])))
        #expect(outcome.views.last?.lookup(kid: "new", now: harness.now, waitingSince: since).keyID == "new")
    }

    @Test("F-01: 10,000 random kids in an hour cost at most one fetch a cool-down")
    func flood() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key], maxAge: 86_400)
        for index in 0..<10_000 {
            if harness.lookup("random-\(index)").isFetch { harness.send(.unknownKeyAsked) }
            if harness.view.isFetching { harness.send(.fetched(try FetchedKeySet([key], maxAge: 86_400))) }
            harness.now += .seconds(0.36)
        }
        #expect(harness.fetches <= 1 + 3600 / 30)
        #expect(harness.fetches >= 100)
    }

    @Test("F-03: what unknown kids leave behind does not grow with them")
    func noMemoryOfUnknownKids() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        harness.send(.unknownKeyAsked)
        harness.send(.fetchFailed(.down))
        let before = "\(harness.machine)"
        for index in 0..<1000 {
            _ = harness.lookup("random-\(index)")
            #expect(harness.send(.unknownKeyAsked).actions.isEmpty)
        }
        #expect("\(harness.machine)" == before)
    }

    @Test("F-04: good keys stay while unknown ones are asked for")
    func goodKeysStay() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        harness.send(.unknownKeyAsked)
        #expect(harness.lookup("a").keyID == "a")
        harness.send(.fetchFailed(.down))
        #expect(harness.lookup("a").keyID == "a")
    }

    @Test func withinTheCooldownItIsAnsweredAtOnce() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        harness.send(.unknownKeyAsked)
        harness.send(.fetched(try FetchedKeySet([key])))
        #expect(harness.lookup("x").isUnknown)
        harness.now += .seconds(29.9)
        #expect(harness.lookup("x").isUnknown)
        #expect(harness.send(.unknownKeyAsked).actions.isEmpty)
        harness.now += .seconds(0.1)
        #expect(harness.lookup("x").isFetch)
        #expect(harness.send(.unknownKeyAsked).fetches == 1)
    }

    @Test func itIsUnknownOnlyIfTheLastFetchSucceeded() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        harness.send(.unknownKeyAsked)
        harness.send(.fetchFailed(.down))
        #expect((1...2).contains(harness.lookup("x").retryAfter ?? 0))
        harness.advanceToDeadline()
        harness.send(.fetched(try FetchedKeySet([key])))
        #expect(harness.lookup("x").isUnknown)
    }

    @Test func whoWaitedForAFetchIsAnsweredByItEvenAfterTheCooldown() throws {
        let key = try TestKey("a")
        var harness = try MachineHarness(loaded: [key])
        let since = harness.view.completedFetches
        harness.send(.unknownKeyAsked)
        harness.now += .seconds(40)
        harness.send(.fetched(try FetchedKeySet([key])))
        #expect(harness.lookup("x", waitingSince: since).isUnknown)
        #expect(harness.lookup("x").isFetch)
    }

    @Test("F-21: two tokens wait and the fetch fails: both are told by the same view")
    func failedFetchAnswersAllWaiters() throws {
        var harness = try MachineHarness(loaded: [TestKey("a")])
        let since = harness.view.completedFetches
        harness.send(.unknownKeyAsked)
        harness.send(.unknownKeyAsked)
        let outcome = harness.send(.fetchFailed(.down))
        let view = try #require(outcome.views.last)
        #expect(view.lookup(kid: "x", now: harness.now, waitingSince: since).retryAfter != nil)
        #expect(view.lookup(kid: "y", now: harness.now, waitingSince: since).retryAfter != nil)
    }

    @Test func aFetchThatRunsAlreadyIsSharedAndSparesTheCooldown() throws {
        let old = try TestKey("old")
        var harness = try MachineHarness(loaded: [old])
        harness.advanceToDeadline()
        let fetches = harness.fetches
        #expect(harness.lookup("new").isFetch)
        #expect(harness.send(.unknownKeyAsked).actions.isEmpty)
        #expect(harness.fetches == fetches)
        harness.send(.fetched(try FetchedKeySet([old])))
        #expect(harness.lookup("new").isFetch)
    }

    @Test func theWaitIsNeverLessThanOneSecond() {
        let view = KeySetView(isLoaded: true, cooldownUntil: 20, nextFetchAt: 10)
        #expect(view.lookup(kid: "x", now: 15).retryAfter == 1)
        let late = KeySetView(isLoaded: true, cooldownUntil: .max, nextFetchAt: .max)
        #expect((late.lookup(kid: "x", now: 0).retryAfter ?? 0) > 1)
    }
}
