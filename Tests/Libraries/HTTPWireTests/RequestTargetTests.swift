import HTTPWire
import Testing

@Suite struct RequestTargetTests {
    struct Split: Sendable {
        var target: String
        var path: String
        var query: String?
    }

    @Test(arguments: [
        Split(target: "/", path: "/", query: nil),
        Split(target: "/a/b", path: "/a/b", query: nil),
        Split(target: "/?", path: "/", query: ""),
        Split(target: "/a?b=c", path: "/a", query: "b=c"),
        Split(target: "/a?b?c", path: "/a", query: "b?c"),
        Split(target: "/private?x=/status", path: "/private", query: "x=/status"),
        Split(target: "/a%3Fb", path: "/a%3Fb", query: nil),
        Split(target: "//a//b", path: "//a//b", query: nil),
        Split(target: "/http://b/?c", path: "/http://b/", query: "c"),
    ])
    func thePathEndsAtTheFirstQuestionMark(split: Split) throws {
        let request = try ParsedRequest("GET \(split.target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.head.targetForm == .origin)
        #expect(request.text(request.head.path) == split.path)
        #expect(request.head.query.map(request.text) == split.query)
    }

    @Test(
        "B-07, B-13: what no target may hold is malformed",
        arguments: [
            "/a#b", "/#", "#", "/a\u{0}", "/a\u{1}b", "/a\u{7F}", "/caf\u{e9}", "/a\tb", "/a\u{b}", "admin/x", "", "*/",
            "**", "?x",
            "a.example:80", "ftp://a/", "http:/a", "https:a", "http//a/",
        ])
    func otherTargetsAreMalformed(target: String) {
        guard case .malformed = refusal("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n") else {
            Issue.record("accepted or another error")
            return
        }
    }

    @Test func everyByteOutsideVisibleASCIIIsRefusedWhereverItStands() {
        for byte in UInt8.min...UInt8.max {
            for padding in 0..<9 {
                let path = [UInt8](repeating: 0x61, count: padding) + [byte] + Array("bcdefgh".utf8)
                let bytes = Array("GET /".utf8) + path + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                let allowed = byte > 0x20 && byte < 0x7F && byte != 0x23
                #expect((refusal(bytes) == nil) == allowed, "byte \(byte) at \(padding)")
            }
        }
    }

    @Test(arguments: [
        Split(target: "http://a.example/x?y", path: "/x", query: "y"),
        Split(target: "HTTP://a.example/x", path: "/x", query: nil),
        Split(target: "htTPs://A.EXAMPLE/", path: "/", query: nil),
        Split(target: "http://a.example", path: "/", query: nil),
        Split(target: "http://a.example?y", path: "/", query: "y"),
        Split(target: "http://a.example:80/x", path: "/x", query: nil),
        Split(target: "https://a.example:443/x", path: "/x", query: nil),
    ])
    func anAbsoluteTargetThatAgreesWithHostIsTakenApart(split: Split) throws {
        let request = try ParsedRequest("GET \(split.target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
        #expect(request.head.targetForm == .absolute)
        #expect(request.text(request.head.path) == split.path)
        #expect(request.head.query.map(request.text) == split.query)
        #expect(request.text(request.head.host) == "a.example")
    }

    @Test(
        "B-14: an absolute target of another host than Host is refused",
        arguments: [
            "http://b.example/", "http://a.example:81/", "http://a.example:443/", "https://a.example:80/",
            "http://a.example.b/",
            "http://x@a.example/", "http://a.example:x/", "http:///", "http://?x", "http://a.example,b/",
            "http://[::1]/",
        ])
    func anotherAuthorityIsRefused(target: String) {
        guard case .malformed = refusal("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n") else {
            Issue.record("accepted or another error")
            return
        }
    }

    @Test func anAbsoluteTargetStandsForTheHostOfHTTP10() throws {
        let request = try ParsedRequest("GET http://a.example:81/x HTTP/1.0\r\n\r\n")
        #expect(request.text(request.head.host) == "a.example:81")
        #expect(request.text(request.head.hostName.name) == "a.example")
    }

    @Test func theAsteriskIsForOPTIONSOnly() throws {
        let request = try ParsedRequest("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.head.targetForm == .asterisk)
        #expect(request.text(request.head.path) == "*")
        #expect(refusal("GET * HTTP/1.1\r\nHost: a\r\n\r\n") != nil)
        #expect(try ParsedRequest("OPTIONS /x HTTP/1.1\r\nHost: a\r\n\r\n").head.targetForm == .origin)
    }

    @Test func connectTakesAnAuthorityWithAPortAndNothingElse() throws {
        let request = try ParsedRequest("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n")
        #expect(request.head.targetForm == .authority)
        #expect(request.head.path.isEmpty)
        #expect(request.head.authority.map(request.text) == "a:443")
        for target in ["/", "a", "*", "http://a:443/", "b:443", "x@a:443"] {
            #expect(refusal("CONNECT \(target) HTTP/1.1\r\nHost: a:443\r\n\r\n") != nil, "\(target)")
        }
    }
}
