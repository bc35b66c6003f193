import Testing

@testable import GatewayCore

@Suite struct DateLineTests {
    @Test(arguments: [
        (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
        (1_700_000_000, "Tue, 14 Nov 2023 22:13:20 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
    ])
    func aTimeIsAnIMFFixdate(time: Int64, text: String) {
        #expect(DateLine.format(time) == text)
    }

    @Test func theLineFollowsTheSecond() {
        var line = DateLine()
        #expect(line.bytes(now: 0) == Array("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n".utf8))
        #expect(line.bytes(now: 1) == Array("Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n".utf8))
        #expect(line.bytes(now: 1) == Array("Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n".utf8))
    }
}
