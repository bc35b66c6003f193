import HTTPWire
import Testing

@Suite struct HostTests {
    struct Valid: Sendable {
        var value: String
        var name: String
        var port: UInt16?
    }

    @Test(arguments: [
        Valid(value: "a", name: "a", port: nil),
        Valid(value: "api.example.com", name: "api.example.com", port: nil),
        Valid(value: "api.example.com:8080", name: "api.example.com", port: 8080),
        Valid(value: "API.example.com:0", name: "API.example.com", port: 0),
        Valid(value: "a.example.", name: "a.example", port: nil),
        Valid(value: "a.example.:65535", name: "a.example", port: 65535),
        Valid(value: "my_service-1~x", name: "my_service-1~x", port: nil),
        Valid(value: "127.0.0.1:80", name: "127.0.0.1", port: 80),
        Valid(value: "[::1]", name: "[::1]", port: nil),
        Valid(value: "[2001:DB8::7]:443", name: "[2001:DB8::7]", port: 443),
        Valid(value: "[::ffff:192.0.2.1]:1", name: "[::ffff:192.0.2.1]", port: 1),
    ])
    func aValidHostIsTakenApart(host: Valid) throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: \(host.value)\r\n\r\n")
        #expect(request.text(request.head.host) == host.value)
        #expect(request.text(request.head.hostName.name) == host.name)
        #expect(request.head.hostName.port == host.port)
        #expect(request.head.hostName.hasUppercase == (host.name != host.name.lowercased()))
    }

    @Test(
        "B-19: an invalid Host is malformed",
        arguments: [
            "", " ", "a b", "a,b", "a, b", "user@a", "u:p@a", "a:", "a:x", "a:65536", "a:99999", "a:123456", "a:-1",
            "a:+1", "a: 1",
            "a:80:80", ":80", ".", ".a", "a..b", "a/b", "a?b", "a#b", "a\\b", "a%41", "http://a", "[::1", "::1", "[]",
            "[:]", "[::1]x",
            "[::1]:", "[::1]:65536", "[fe80::1%25eth0]", "[v1.x]", "[1.2.3.4]", "a[::1]", "<a>", "\"a\"", "a;b", "a=b",
            "a|b", "a!b",
            "a\tb", "\u{e9}", "*", "*.a", "a$b", "(a)",
        ])
    func anInvalidHostIsMalformed(value: String) {
        #expect(refusal("GET / HTTP/1.1\r\nHost: \(value)\r\n\r\n") == .malformed(reason: "invalid Host"))
    }

    @Test("B-19: HTTP/1.1 without a Host is malformed")
    func noHost() {
        #expect(refusal("GET / HTTP/1.1\r\nX: y\r\n\r\n") == .malformed(reason: "no Host"))
    }

    @Test("B-19: two Hosts are malformed, equal or not", arguments: ["HTTP/1.1", "HTTP/1.0"])
    func twoHosts(version: String) {
        let reason = HeadError.malformed(reason: "more than one Host")
        #expect(refusal("GET / \(version)\r\nHost: a\r\nHost: a\r\n\r\n") == reason)
        #expect(refusal("GET / \(version)\r\nHost: a\r\nX: y\r\nhOST: b\r\n\r\n") == reason)
    }

    @Test func http10MayLackAHostButNotHaveAnInvalidOne() throws {
        let request = try ParsedRequest("GET / HTTP/1.0\r\n\r\n")
        #expect(request.head.host.isEmpty)
        #expect(request.head.hostName == .none)
        #expect(refusal("GET / HTTP/1.0\r\nHost: a b\r\n\r\n") != nil)
    }

    @Test func aHostOf255BytesPassesAndOneOf256DoesNot() {
        let longest = String(repeating: "a", count: 255)
        #expect(refusal("GET / HTTP/1.1\r\nHost: \(longest):80\r\n\r\n") == nil)
        #expect(refusal("GET / HTTP/1.1\r\nHost: a\(longest)\r\n\r\n") != nil)
    }

    @Test("B-06: the host is given in lower case, without its port, on demand")
    func lowerCase() throws {
        let request = try ParsedRequest("GET / HTTP/1.1\r\nHost: ADMIN.Example.com.:8080\r\n\r\n")
        var output = [UInt8](repeating: 0, count: 64)
        let count = request.bytes.withUnsafeBytes { head in
            output.withUnsafeMutableBytes { request.head.hostName.copyLowercased(from: head, into: $0) }
        }
        #expect(String(decoding: output[..<count], as: UTF8.self) == "admin.example.com")
    }

    @Test(arguments: [
        "1:2:3:4:5:6:7:8", "::", "::8", "1::", "1::8", "1:2:3:4:5:6:7::", "::2:3:4:5:6:7:8", "1:2:3:4:5:6:1.2.3.4",
        "::1.2.3.4",
        "1::5:1.2.3.4", "abcd:EF01::", "0000::",
    ])
    func anIPv6AddressIsAHost(address: String) {
        #expect(refusal("GET / HTTP/1.1\r\nHost: [\(address)]\r\n\r\n") == nil)
    }

    @Test(arguments: [
        "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", ":::", "1:::2", "12345::", "g::", "1:2:3:4:5:6:7:8::",
        "::1:2:3:4:5:6:7:8",
        ":1", "1:", "1:2:3:4:5:6:7:", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256", "::01.2.3.4", "1:2:3:4:5:6:7:1.2.3.4",
        "1.2.3.4::",
        "::1.2.3.4:5", "::-1", "::a.b.c.d", ":", "",
    ])
    func whatIsNoIPv6AddressIsNoHost(address: String) {
        #expect(refusal("GET / HTTP/1.1\r\nHost: [\(address)]\r\n\r\n") != nil)
    }
}
