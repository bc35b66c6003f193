import Testing

@testable import Gatehouse

struct PurgeScheduleTests {
    @Test func `the store is purged soon after it was loaded, and then once an hour`() {
        var schedule = PurgeSchedule()
        let due = (1...7_300).filter { _ in schedule.isDueAfterSecond() }
        #expect(due == [90, 3_690, 7_290])
    }
}
