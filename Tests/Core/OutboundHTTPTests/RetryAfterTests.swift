import Testing

@testable import OutboundHTTP

@Suite struct RetryAfterTests {
    @Test(
        "seconds and dates, within 1 to 60 s",
        arguments: [
            ("0", 1), ("1", 1), ("7", 7), ("60", 60), ("61", 60), ("99999999999999999999999", 60),
            ("Tue, 14 Nov 2023 22:13:30 GMT", 10), ("Tue, 14 Nov 2023 22:13:20 GMT", 1),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 1), ("Fri, 31 Dec 2100 23:59:59 GMT", 60),
        ] as [(String, Int)])
    func understood(text: String, seconds: Int) {
        #expect(RetryAfter.seconds(text, now: 1_700_000_000) == seconds)
    }

    @Test(
        "what says nothing",
        arguments: [
            "", "soon", "-1", "+5", "1.5", " 5", "5s", "٣", "Tue, 14 Nov 2023 22:13:30 UTC",
        ])
    func ignored(text: String) {
        #expect(RetryAfter.seconds(text, now: 1_700_000_000) == nil)
    }
}
