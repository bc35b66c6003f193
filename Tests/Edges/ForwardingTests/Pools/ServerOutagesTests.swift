import Testing

@testable import Forwarding

struct ServerOutagesTests {
    @Test func `the first failure is logged, later ones once in an interval`() {
        var outages = ServerOutages()
        let interval = ServerOutages.interval
        let due = [5, 6, 5 + interval - 1, 5 + interval, 6 + interval].map { outages.failed(0, now: $0) }
        #expect(due == [1, nil, nil, 4, nil])
    }

    @Test func `servers are logged separately, and a success resets the interval`() {
        var outages = ServerOutages()
        let (first, second) = (outages.failed(0, now: 0), outages.failed(1, now: 0))
        #expect(first == 1 && second == 1)
        _ = outages.failed(0, now: 1)
        let (ended, never) = (outages.ended(0), outages.ended(2))
        #expect(ended == 2 && never == nil)
        let again = outages.failed(0, now: 2)
        #expect(again == 1)
    }
}
