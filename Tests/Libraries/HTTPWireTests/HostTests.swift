import HTTPWire
import Testing

struct HostTests {
    @Test(
        arguments: [
            ("a", "a", nil), ("api.example.com", "api.example.com", nil),
            ("api.example.com:8080", "api.example.com", 8080), ("API.example.com:0", "API.example.com", 0),
            ("a.example.", "a.example", nil), ("a.example.:65535", "a.example", 65535),
            ("my_service-1~x", "my_service-1~x", nil), ("127.0.0.1:80", "127.0.0.1", 80), ("[::1]", "[::1]", nil),
            ("[2001:DB8::7]:443", "[2001:DB8::7]", 443), ("[::ffff:192.0.2.1]:1", "[::ffff:192.0.2.1]", 1),
        ] as [(String, String, UInt16?)])
    func `a valid host has a name and a port`(value: String, name: String, port: UInt16?) throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n")
        #expect(request.text(request.head.host) == value)
        #expect(request.text(request.head.hostName.name) == name)
        #expect(request.head.hostName.port == port)
        #expect(request.head.hostName.hasUppercase == (name != name.lowercased()))
    }

    @Test(arguments: [
        "", " ", "a b", "a,b", "a, b", "user@a", "u:p@a", "a:", "a:x", "a:65536", "a:99999", "a:123456", "a:-1", "a:+1",
        "a: 1", "a:80:80", ":80", ".", ".a", "a..b", "a/b", "a?b", "a#b", "a\\b", "a%41", "http://a", "[::1", "::1",
        "[]", "[:]", "[::1]x", "[::1]:", "[::1]:65536", "[fe80::1%25eth0]", "[v1.x]", "[1.2.3.4]", "a[::1]", "<a>",
        "\"a\"", "a;b", "a=b", "a|b", "a!b", "a\tb", "\u{e9}", "*", "*.a", "a$b", "(a)",
    ])
    func `B-19: an invalid Host is malformed`(value: String) {
        #expect(refusal("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n") == .malformed(reason: "invalid Host"))
    }

    @Test func `B-19: HTTP/1.1 without a Host is malformed`() {
        #expect(refusal("GET / HTTP/1.1\r\nX: y\r\n\r\n") == .malformed(reason: "no Host"))
    }

    @Test(arguments: ["HTTP/1.1", "HTTP/1.0"])
    func `B-19: two Hosts are malformed even if they are equal`(version: String) {
        let reason = HeadError.malformed(reason: "more than one Host")
        #expect(refusal("GET / \(version)\r\nHost: a\r\nHost: a\r\n\r\n") == reason)
        #expect(refusal("GET / \(version)\r\nHost: a\r\nX: y\r\nhOST: b\r\n\r\n") == reason)
    }

    @Test func `HTTP/1.0 may have no Host but not an invalid one`() throws {
        let request = try ParsedRequest("GET / HTTP/1.0\r\n\r\n")
        #expect(request.head.host.isEmpty)
        #expect(request.head.hostName == .none)
        #expect(refusal("GET / HTTP/1.0\r\nHost: a b\r\n\r\n") != nil)
    }

    @Test func `the longest host has 255 bytes`() {
        let longest = String(repeating: "a", count: 255)
        #expect(refusal("GET / HTTP/1.1\r\nHost: \(longest):80\r\n\r\n") == nil)
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\(longest)\r\n\r\n") != nil)
    }

    @Test func `B-06: a host is copied in lower case without its port`() throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: ADMIN.Example.com.:8080\r\n\r\n")
        var output = [UInt8](repeating: 0, count: 64)
        let count = request.bytes.withUnsafeBytes { head in
            output.withUnsafeMutableBytes { request.head.hostName.copyLowercased(from: head, into: $0) }
        }
        #expect(String(decoding: output[..<count], as: UTF8.self) == "admin.example.com")
    }

    @Test(arguments: [
        "1:2:3:4:5:6:7:8", "::", "::8", "1::", "1::8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4",
        "::1.2.3.4", "1::5:1.2.3.4", "abcd:EF01::", "0000::",
    ])
    func `an IPv6 address is a host`(address: String) {
        #expect(refusal("GET / HTTP/1.1\r\nHost: [\(address)]\r\n\r\n") == nil)
    }

    @Test(arguments: [
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::", "1:::2", "12345::", "g::", "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8", ":1", "1:", "1:2:3:4:5:6:7:", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "::01.2.3.4",
        "1:2:3:4:5:6:7:1.2.3.4", "1.2.3.4::", "::1.2.3.4:5", "::-1", "::a.b.c.d", ":", "",
    ])
    func `an invalid IPv6 address is not a host`(address: String) {
        #expect(refusal("GET / HTTP/1.1\r\nHost: [\(address)]\r\n\r\n") != nil)
    }
}
