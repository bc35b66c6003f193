import HTTPWire
import Testing

@Suite struct ResponseHeadTests {
    @Test func theStatusLineIsTakenApart() throws {
        let response = try ParsedResponse("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\n")
        #expect(response.head.status == 404)
        #expect(response.text(response.head.reason) == "Not Found")
        #expect(response.head.minorVersion == 1)
        #expect(response.head.length == response.bytes.count)
    }

    @Test(arguments: ["HTTP/1.1 200 \r\n\r\n", "HTTP/1.1 200\r\n\r\n"])
    func theReasonMayBeMissing(text: String) throws {
        let response = try ParsedResponse(text)
        #expect(response.head.status == 200)
        #expect(response.head.reason.isEmpty)
    }

    @Test func theReasonMayHoldTabsAndOtherThanASCII() throws {
        let bytes = Array("HTTP/1.1 200 O\tK ".utf8) + [0xE9, 0xFF] + Array("\r\n\r\n".utf8)
        #expect(try ParsedResponse(bytes).head.reason.count == 6)
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 X", "HTTP/1.1 2x0 OK", "HTTP/1.1  200 OK",
        "HTTP/1.1\t200 OK",
        "HTTP/1.1 200\tOK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 O\nK", "HTTP/1.1 200 O\u{7F}K",
        "HTTP/1.1",
        "HTTP/1.1 ", "HTTP/1.1 200OK", "http/1.1 200 OK", "HTTP/1.1 +20 OK", "ICY 200 OK", "", "\r\nHTTP/1.1 200 OK",
    ])
    func anotherStatusLineIsMalformed(line: String) {
        guard case .malformed = responseRefusal(line + "\r\n\r\n") else {
            Issue.record("accepted or another error")
            return
        }
    }

    @Test func anotherVersionIsUnsupported() {
        #expect(responseRefusal("HTTP/2.0 200 OK\r\n\r\n") == .versionUnsupported)
    }

    @Test(arguments: [100, 199, 200, 599, 600, 999])
    func everyStatusOfThreeDigitsPasses(status: Int) throws {
        #expect(try ParsedResponse("HTTP/1.1 \(status) X\r\n\r\n").head.status == status)
    }

    @Test func interimAndSwitchingResponsesAreTold() throws {
        let facts = try [100, 101, 103, 200].map { status in
            let head = try ParsedResponse("HTTP/1.1 \(status) X\r\n\r\n").head
            return [head.isInterim, head.isSwitchingProtocols]
        }
        #expect(facts == [[true, false], [false, true], [true, false], [false, false]])
    }

    @Test(arguments: ["X : y", " X: y", "X: a\u{0}", ": y", "X: y\r\n z"])
    func fieldLinesAreAsStrictAsInRequests(line: String) {
        #expect(responseRefusal(answer(200, line)) != nil)
    }
}
