import CivilCalendar
import Testing

struct HTTPDateTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (1_700_000_000, "Tue, 14 Nov 2023 22:13:20 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func `a time is an IMF-fixdate`(time: Int64, text: String) {
        #expect(HTTPDate.text(time) == text)
        #expect(HTTPDate.seconds(text) == time)
    }

    @Test(arguments: [
        "", "Tue, 14 Nov 2023 22:13:30 UTC", "Tuesday, 14-Nov-23 22:13:30 GMT", "Tue, 31 Feb 2023 22:13:30 GMT",
        "Tue, 14 Nov 2023 24:13:30 GMT", "Tue, 14 nov 2023 22:13:30 GMT", "Tue, 14 Nov 2023 22:13:3x GMT",
        "Tue, 14 Nov 2023 22:13:30 GMT ", "Tue, 14 Nov 2023 22:13",
    ])
    func `other text is not a date`(text: String) {
        #expect(HTTPDate.seconds(text) == nil)
    }
}
