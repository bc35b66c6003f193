import GatewayCore
import Testing

@Suite struct DateLineTests {
    @Test func `the line follows the second`() {
        var line = DateLine()
        #expect(line.bytes(now: 0) == Array("Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n".utf8))
        #expect(line.bytes(now: 1) == Array("Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n".utf8))
        #expect(line.bytes(now: 1) == Array("Date: Thu, 01 Jan 1970 00:00:01 GMT\r\n".utf8))
    }
}
