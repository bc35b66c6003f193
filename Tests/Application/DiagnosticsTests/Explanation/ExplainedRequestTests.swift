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
    func aURLIsTakenLiterally(url: String, host: String, target: String) throws {
        let text = try head(ExplainedRequest(method: "GET", url: url))
        #expect(text == "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
    }

    @Test func credentialsGoWhereTheConfigurationLooksForThem() throws {
        let request = ExplainedRequest(method: "GET", url: "/", token: "t", sessionCookie: "c", fields: [("A", "b")])
        #expect(
            try head(request).hasSuffix("A: b\r\nAuthorization: Bearer t\r\nCookie: __session=c\r\n\r\n"))
    }

    @Test func aHostFieldTakesThePlaceOfTheURLs() throws {
        let request = ExplainedRequest(method: "GET", url: "http://a.example/", fields: [("host", "b.example")])
        #expect(try head(request) == "GET / HTTP/1.1\r\nHost: b.example\r\n\r\n")
    }

    @Test(arguments: ["example.com/x", "ftp://a/b", "http:///x", "http://user@host/x", ""])
    func whatIsNoURLIsRefused(url: String) {
        #expect(throws: ExplainedRequestError.self) { try head(ExplainedRequest(method: "GET", url: url)) }
    }

    @Test func nothingSmugglesALineIn() {
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
