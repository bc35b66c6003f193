import HTTPWire
import Testing

struct ResponseHeadTests {
    @Test func `a status line has a version, a status and a reason`() throws {
        let response = try ParsedResponse("HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\n")
        #expect(response.head.status == 404)
        #expect(response.text(response.head.reason) == "Not Found")
        #expect(response.head.minorVersion == 1)
        #expect(response.head.length == response.bytes.count)
    }

    @Test(arguments: ["HTTP/1.1 200 \r\n\r\n", "HTTP/1.1 200\r\n\r\n"])
    func `the reason is optional`(text: String) throws {
        let response = try ParsedResponse(text)
        #expect(response.head.status == 200)
        #expect(response.head.reason.isEmpty)
    }

    @Test func `the reason may have tabs and bytes outside ASCII`() throws {
        let bytes = Array("HTTP/1.1 200 O\tK ".utf8) + [0xE9, 0xFF] + Array("\r\n\r\n".utf8)
        #expect(try ParsedResponse(bytes).head.reason.count == 6)
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 X", "HTTP/1.1 2x0 OK", "HTTP/1.1  200 OK",
        "HTTP/1.1\t200 OK", "HTTP/1.1 200\tOK", "HTTP/1.1 200 O\u{0}K", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 O\nK",
        "HTTP/1.1 200 O\u{7F}K", "HTTP/1.1", "HTTP/1.1 ", "HTTP/1.1 200OK", "http/1.1 200 OK", "HTTP/1.1 +20 OK",
        "ICY 200 OK", "", "\r\nHTTP/1.1 200 OK",
    ])
    func `an invalid status line is malformed`(line: String) {
        #expect(isMalformed(responseRefusal(line + "\r\n\r\n")))
    }

    @Test func `another version is unsupported`() {
        #expect(responseRefusal("HTTP/2.0 200 OK\r\n\r\n") == .versionUnsupported)
    }

    @Test(arguments: [100, 199, 200, 599, 600, 999])
    func `every status of three digits is accepted`(status: Int) throws {
        #expect(try ParsedResponse("HTTP/1.1 \(status) X\r\n\r\n").head.status == status)
    }

    @Test func `interim responses and protocol switches are recognised`() throws {
        let facts = try [100, 101, 103, 200].map { status in
            let head = try ParsedResponse("HTTP/1.1 \(status) X\r\n\r\n").head
            return [head.isInterim, head.isSwitchingProtocols]
        }
        #expect(facts == [[true, false], [false, true], [true, false], [false, false]])
    }

    @Test(arguments: ["X : y", " X: y", "X: a\u{0}", ": y", "X: y\r\n z"])
    func `field lines are as strict as in requests`(line: String) {
        #expect(responseRefusal(response(200, line)) != nil)
    }
}
