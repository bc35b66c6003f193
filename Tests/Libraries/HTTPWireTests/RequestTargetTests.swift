import HTTPWire
import Testing

struct RequestTargetTests {
    @Test(
        arguments: [
            ("/", "/", nil), ("/a/b", "/a/b", nil), ("/?", "/", ""), ("/a?b=c", "/a", "b=c"), ("/a?b?c", "/a", "b?c"),
            ("/private?x=/status", "/private", "x=/status"), ("/a%3Fb", "/a%3Fb", nil), ("//a//b", "//a//b", nil),
            ("/http://b/?c", "/http://b/", "c"),
        ] as [(String, String, String?)])
    func `the path ends at the first question mark`(target: String, path: String, query: String?) throws {
        let request = try ParsedRequest("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.head.targetForm == .origin)
        #expect(request.text(request.head.path) == path)
        #expect(request.head.query.map(request.text) == query)
    }

    @Test(
        arguments: [
            "/a#b", "/#", "#", "/a\u{0}", "/a\u{1}b", "/a\u{7F}", "/caf\u{e9}", "/a\tb", "/a\u{b}", "admin/x", "", "*/",
            "**", "?x",
            "a.example:80", "ftp://a/", "http:/a", "https:a", "http//a/",
        ])
    func `B-07, B-13: an invalid target is malformed`(target: String) {
        #expect(isMalformed(refusal("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")))
    }

    @Test func `every byte outside visible ASCII is rejected in every position`() {
        for byte in UInt8.min...UInt8.max {
            for padding in 0..<9 {
                let path = [UInt8](repeating: 0x61, count: padding) + [byte] + Array("bcdefgh".utf8)
                let bytes = Array("GET /".utf8) + path + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
                let allowed = byte > 0x20 && byte < 0x7F && byte != 0x23
                #expect((refusal(bytes) == nil) == allowed, "byte \(byte) at \(padding)")
            }
        }
    }

    @Test(
        arguments: [
            ("http://a.example/x?y", "/x", "y"), ("HTTP://a.example/x", "/x", nil), ("htTPs://A.EXAMPLE/", "/", nil),
            ("http://a.example", "/", nil), ("http://a.example?y", "/", "y"), ("http://a.example:80/x", "/x", nil),
            ("https://a.example:443/x", "/x", nil),
        ] as [(String, String, String?)])
    func `an absolute target that agrees with Host has a path and a query`(
        target: String, path: String, query: String?
    ) throws {
        let request = try ParsedRequest("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")
        #expect(request.head.targetForm == .absolute)
        #expect(request.text(request.head.path) == path)
        #expect(request.head.query.map(request.text) == query)
        #expect(request.text(request.head.host) == "a.example")
    }

    @Test(arguments: [
        "http://b.example/", "http://a.example:81/", "http://a.example:443/", "https://a.example:80/",
        "http://a.example.b/", "http://x@a.example/", "http://a.example:x/", "http:///", "http://?x",
        "http://a.example,b/", "http://[::1]/",
    ])
    func `B-14: an absolute target with another authority than Host is rejected`(target: String) {
        #expect(isMalformed(refusal("GET \(target) HTTP/1.1\r\nHost: a.example\r\n\r\n")))
    }

    @Test func `an absolute target is the host of HTTP/1.0`() throws {
        let request = try ParsedRequest("GET http://a.example:81/x HTTP/1.0\r\n\r\n")
        #expect(request.text(request.head.host) == "a.example:81")
        #expect(request.text(request.head.hostName.name) == "a.example")
    }

    @Test func `the asterisk is for OPTIONS only`() throws {
        let request = try ParsedRequest("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(request.head.targetForm == .asterisk)
        #expect(request.text(request.head.path) == "*")
        #expect(refusal("GET * HTTP/1.1\r\nHost: a\r\n\r\n") != nil)
        #expect(try ParsedRequest("OPTIONS /x HTTP/1.1\r\nHost: a\r\n\r\n").head.targetForm == .origin)
    }

    @Test func `the target of CONNECT is an authority with a port`() throws {
        let request = try ParsedRequest("CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n")
        #expect(request.head.targetForm == .authority)
        #expect(request.head.path.isEmpty)
        #expect(request.head.authority.map(request.text) == "a:443")
        for target in ["/", "a", "*", "http://a:443/", "b:443", "x@a:443"] {
            #expect(refusal("CONNECT \(target) HTTP/1.1\r\nHost: a:443\r\n\r\n") != nil, "\(target)")
        }
    }
}
