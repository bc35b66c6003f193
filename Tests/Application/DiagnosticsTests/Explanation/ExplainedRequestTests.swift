import Testing

@testable import Diagnostics

@Suite struct ExplainedRequestTests {
    private let configuration = Given.configuration([Given.route("/**")])

    private func head(_ request: ExplainedRequest) throws -> String {
        String(decoding: try request.head(for: configuration), as: UTF8.self)
    }

    @Test(arguments: [
        ("http://a.example/x?y#z", "a.example", "/x?y"), ("HTTPS://a.example:81", "a.example:81", "/"),
        ("http://a.example?q", "a.example", "/?q"), ("/x/../y", "127.0.0.1:8080", "/x/../y"),
        ("http://[::1]:80/x", "[::1]:80", "/x"), ("*", "127.0.0.1:8080", "*"),
    ])
    func `a URL is taken literally`(url: String, host: String, target: String) throws {
        let text = try head(ExplainedRequest(method: "GET", url: url))
        #expect(text == "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }

    @Test func `credentials are in the configured fields`() throws {
        let request = ExplainedRequest(method: "GET", url: "/", token: "t", sessionCookie: "c", fields: [("A", "b")])
        #expect(
            try head(request).hasSuffix("A: b\r\nAuthorization: Bearer t\r\nCookie: __session=c\r\n\r\n"))
    }

    @Test func `a Host field replaces the host of the URL`() throws {
        let request = ExplainedRequest(method: "GET", url: "http://a.example/", fields: [("host", "b.example")])
        #expect(try head(request) == "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n")
    }

    @Test(arguments: ["example.com/x", "ftp://a/b", "http:///x", "http://user@host/x", ""])
    func `an invalid URL is rejected`(url: String) {
        #expect(throws: ExplainedRequestError.self) { try head(ExplainedRequest(method: "GET", url: url)) }
    }

    @Test func `no part of a request can add a line`() {
        for request in [
            ExplainedRequest(method: "GET / HTTP/1.1\r\nX: y", url: "/"),
            ExplainedRequest(method: "GET", url: "/ HTTP/1.1\nX: y"),
            ExplainedRequest(method: "GET", url: "/", token: "a\r\nX: y"),
            ExplainedRequest(method: "GET", url: "/", fields: [("A", "b\r\nX: y")]),
        ] {
            #expect(throws: ExplainedRequestError.self) { try head(request) }
        }
    }
}

@Suite struct HumanTimeTests {
    @Test(arguments: [
        (0, "0 s"), (59, "59 s"), (60, "1 min"), (3_725, "1 h 2 min"), (90_061, "1 d 1 h"), (86_400 * 14, "14 d"),
    ])
    func `an interval has its two largest units`(seconds: Int64, text: String) {
        #expect(HumanTime.span(seconds) == text)
    }

    @Test func `a time is written with its distance`() {
        #expect(HumanTime.moment(60, now: 0) == "1970-01-01T00:01:00Z, in 1 min")
        #expect(HumanTime.moment(0, now: 90) == "1970-01-01T00:00:00Z, 1 min 30 s ago")
        #expect(HumanTime.moment(5, now: 5) == "1970-01-01T00:00:05Z, now")
    }

    @Test(arguments: [Int64.min, -1, 253_402_300_800, .max])
    func `a time outside the calendar stays a number`(time: Int64) {
        #expect(HumanTime.moment(time, now: 0) == "\(time)")
    }
}
