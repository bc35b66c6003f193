import HTTPWire
import Testing

struct RequestLineTests {
    @Test func `a request line has a method, a target and a version`() throws {
        let request = try ParsedRequest("PATCH /a/b?c=d HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.head.method == .patch)
        #expect(request.text(request.head.methodRange) == "PATCH")
        #expect(request.text(request.head.target) == "/a/b?c=d")
        #expect(request.head.minorVersion == 1)
        #expect(request.head.length == request.bytes.count)
    }

    @Test(arguments: Method.allCases.filter { $0 != .other && $0 != .connect && $0 != .options })
    func `every method is known by its name`(method: Method) throws {
        let name = try #require(method.name).description
        #expect(try ParsedRequest("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n").head.method == method)
    }

    @Test(arguments: ["get", "Get", "pOST", "GETT", "GE", "M-SEARCH"])
    func `C-04: a method in another case is another method`(name: String) throws {
        let request = try ParsedRequest("\(name) / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.head.method == .other)
        #expect(request.text(request.head.methodRange) == name)
    }

    @Test func `C-04: the longest method has 32 bytes`() throws {
        let longest = String(repeating: "M", count: 32)
        #expect(try ParsedRequest("\(longest) / HTTP/1.1\r\nHost: a\r\n\r\n").head.method == .other)
        #expect(refusal("M\(longest) / HTTP/1.1\r\nHost: a\r\n\r\n") == .malformed(reason: "method is too long"))
    }

    @Test(arguments: [
        "GET /admin? HTTP/1.1 /x HTTP/1.1", "GET  / HTTP/1.1", "GET /  HTTP/1.1", "GET / HTTP/1.1 ", " GET / HTTP/1.1",
        "GET\t/ HTTP/1.1", "GET /\tHTTP/1.1", "GET /", "GET / ", "GET HTTP/1.1", "GET", "", "G@T / HTTP/1.1",
        "GET(x) / HTTP/1.1", "G\u{e9}T / HTTP/1.1", "GET / http/1.1", "GET / HTTP/1.1x", "GET / HTTP/11",
        "GET / HTTP/1.", "GET / HTTP/1.10", "GET / HTTPS/1.1", "GET / HTTP/01.1", "GET / HTTP/ 1.1", "GET / HTTP/a.1",
    ])
    func `C-04: an invalid request line is malformed`(line: String) {
        #expect(isMalformed(refusal(line + "\r\nHost: a\r\n\r\n")))
    }

    @Test(arguments: ["HTTP/2.0", "HTTP/1.2", "HTTP/0.9", "HTTP/3.1", "HTTP/1.9"])
    func `other versions are unsupported`(version: String) {
        #expect(refusal("GET / \(version)\r\nHost: a\r\n\r\n") == .versionUnsupported)
    }

    @Test func `one empty line before a request is ignored`() throws {
        let request = try ParsedRequest("\r\nGET /x HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.text(request.head.path) == "/x")
        #expect(request.head.length == request.bytes.count)
    }

    @Test(arguments: [
        "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "\r\n\r\n", "\r\n",
    ])
    func `any other empty line before a request is rejected`(text: String) {
        #expect(refusal(text) != nil)
    }

    @Test func `a bare line feed after the version is rejected`() {
        #expect(refusal("GET / HTTP/1.1\nHost: a\r\n\r\n") != nil)
        #expect(refusal("GET / HTTP/1.1\r\rHost: a\r\n\r\n") != nil)
    }

    @Test(arguments: validRequests) func `every prefix of a head is rejected`(text: String) {
        let bytes = Array(text.utf8)
        for count in 0..<bytes.count { #expect(refusal(Array(bytes[..<count])) != nil, "\(count) bytes") }
    }

    @Test func `bytes after the head are rejected`() {
        #expect(refusal(get() + "x") == .malformed(reason: "bytes after the head"))
    }

    @Test func `the size limit of a head is exact`() {
        let text = get("X: y")
        #expect(refusal(text, limits: HeadLimits(size: text.utf8.count)) == nil)
        #expect(refusal(text, limits: HeadLimits(size: text.utf8.count - 1)) == .tooLarge)
    }
}
