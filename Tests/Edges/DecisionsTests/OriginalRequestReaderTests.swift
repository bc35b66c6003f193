import GatewayCore
import HTTPWire
import Testing

@testable import Decisions

/// The original request is read from the fields of one family, and whatever is unclear is rejected.
struct OriginalRequestReaderTests {
    private let asked = AskedRequest()

    private static let original = {
        var asked = AskedRequest()
        asked.line = "GET /authz/original HTTP/1.1"
        asked.fields = [
            "Host: gatehouse", "X-Original-URL: https://example.com/a?b=c", "X-Original-Method: PUT",
            "X-Forwarded-For: 192.0.2.7",
        ]
        return asked
    }()

    private static let envoy = {
        var asked = AskedRequest()
        asked.line = "DELETE /authz/envoy/a?b=c HTTP/1.1"
        asked.fields = ["Host: example.com:8443", "X-Forwarded-Proto: https", "X-Forwarded-For: 192.0.2.7"]
        return asked
    }()

    @Test func `each family describes a request in its own fields`() throws {
        #expect(
            try asked.with("X-Forwarded-Uri: /a?b=c").described()
                == "GET /a?b=c HTTP/1.1\r\nHost: example.com\r\n\r\n")
        #expect(
            try Self.original.described(as: .original) == "PUT /a?b=c HTTP/1.1\r\nHost: example.com\r\n\r\n")
        #expect(
            try Self.envoy.described(as: .envoy) == "DELETE /a?b=c HTTP/1.1\r\nHost: example.com:8443\r\n\r\n")
    }

    @Test func `credentials and ordinary fields are kept`() throws {
        let text = try asked.adding("Authorization: Bearer t", "Cookie: a=1", "Cookie: b=2", "Origin: https://x")
            .described()
        #expect(
            text.hasSuffix("Authorization: Bearer t\r\nCookie: a=1\r\nCookie: b=2\r\nOrigin: https://x\r\n\r\n"))
    }

    @Test(arguments: [
        "X-Forwarded-Method", "X-Forwarded-Uri", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-For",
    ])
    func `J-12, J-13: a missing, empty or repeated field is rejected by its name`(_ name: String) throws {
        #expect(try asked.without(name).reason() == "\(name) is missing")
        #expect(try asked.with("\(name):").reason() == "\(name) is empty")
        let line = asked.fields.first { $0.hasPrefix(name) } ?? ""
        #expect(try asked.adding(line).reason() == "\(name) occurs twice")
    }

    @Test(arguments: [
        ("X-Original-URL", ProxyFamily.original), ("X-Original-Method", .original), ("X-Forwarded-For", .original),
        ("X-Forwarded-Proto", .envoy), ("X-Forwarded-For", .envoy),
    ])
    func `J-12: the other families have no defaults either`(_ name: String, _ family: ProxyFamily) throws {
        let asked = family == .envoy ? Self.envoy : Self.original
        #expect(try asked.without(name).reason(as: family) == "\(name) is missing")
        #expect(try asked.with("\(name):").reason(as: family) == "\(name) is empty")
    }

    @Test(arguments: [
        "X-Forwarded-Method: GET, POST", "X-Forwarded-Method: GET /x", "X-Forwarded-Host: a, b",
        "X-Forwarded-Host: a,b", "X-Forwarded-Uri: /public, /admin", "X-Forwarded-Uri: /public,/admin",
        "X-Forwarded-Proto: https,http", "X-Forwarded-Proto: htTps", "X-Forwarded-Proto: wss",
        "X-Forwarded-Uri: http://example.com/a", "X-Forwarded-Uri: *", "X-Forwarded-Uri: a", "X-Forwarded-Uri: /a b",
        "X-Forwarded-Uri: /%zz", "X-Forwarded-Uri: /a%0d%0aX: y", "X-Forwarded-Uri: /a\u{1}b",
        "X-Forwarded-Uri: /\u{e9}", "X-Forwarded-Host: user@example.com", "X-Forwarded-Host: example.com/x",
        "X-Forwarded-Method: CONNECT", "X-Forwarded-Method: \(String(repeating: "A", count: 33))",
    ])
    func `J-13, J-30, J-33: lists and malformed values are rejected`(_ line: String) throws {
        // A control byte is already an error of the request itself.
        #expect(asked.with(line).isRejected(), "\(line)")
    }

    @Test(arguments: [
        "unknown", "evil\", 127.0.0.1", "nowhere", "10.0.0.256", "_hidden", ",", "127.0.0.1,, evil",
        (0..<300).map { "10.0.0.\($0 % 250)" }.joined(separator: ", "),
    ])
    func `J-33: an address that is none is never trusted`(_ value: String) throws {
        #expect(try asked.with("X-Forwarded-For: \(value)").reason() == "X-Forwarded-For is not a list of addresses")
    }

    @Test func `the last address is the client, and earlier ones are for trusted proxies to confirm`() throws {
        let asked = asked.with("X-Forwarded-For: 203.0.113.9, unknown, 2001:db8::1")
        let original = try asked.read().get()
        #expect(original.client.text == "2001:db8::1" && original.client.isSecure)
        #expect(try asked.described().contains("X-Forwarded-For: 203.0.113.9, unknown\r\n"))
    }

    @Test(arguments: [
        "/public/../admin", "//admin", "/a//b", "/%61dmin", "/a%2fb", "/a%2Fb", "/a\\b", "/a%5cb", "/.", "/a/./b",
        "/public/..;x=1/admin", "/public;/../admin", "/admin;v=1", "/a;b", "/%2e%2e/b", "/%c3%a9", "/%00",
        "/%252e%252e/a", "/private#/public",
    ])
    func `J-15, J-16: a path that is not canonical is rejected on all endpoints`(_ path: String) throws {
        #expect(try asked.with("X-Forwarded-Uri: \(path)").reason() != nil)
        #expect(try Self.original.with("X-Original-URL: http://a\(path)").reason(as: .original) != nil)
        var envoy = Self.envoy
        envoy.line = "GET /authz/envoy\(path) HTTP/1.1"
        #expect(envoy.isRejected(as: .envoy))
    }

    @Test(arguments: ["/", "/a", "/a/", "/%C3%A9", "/a.b", "/...", "/a?b=//c/../d;e", "/a,b", "/%3F/public"])
    func `a canonical path is kept byte for byte`(_ target: String) throws {
        #expect(try asked.with("X-Forwarded-Uri: \(target)").described().hasPrefix("GET \(target) HTTP/1.1\r\n"))
    }

    @Test func `J-17: path and query are split once`() throws {
        for (target, path) in [("/private?x=/public", "/private"), ("/private%3F/public", "/private%3F/public")] {
            var envoy = Self.envoy
            envoy.line = "GET /authz/envoy\(target) HTTP/1.1"
            let all: [(AskedRequest, ProxyFamily)] = [
                (asked.with("X-Forwarded-Uri: \(target)"), .forward),
                (Self.original.with("X-Original-URL: http://a\(target)"), .original), (envoy, .envoy),
            ]
            for (asked, family) in all {
                let original = try asked.read(as: family).get()
                let read = original.withView { String(decoding: $0.head.path.bytes(in: $0.bytes), as: UTF8.self) }
                #expect(read == path)
            }
        }
    }

    @Test func `J-13, J-18, J-28: fields of other families and of the client are not read`() throws {
        let more = [
            "X-Forwarded-Prefix: /public", "X_Forwarded_Uri: /public", "X.Forwarded.Host: public",
            "Forwarded: host=public", "X-Real-IP: 127.0.0.1",
        ]
        var with = asked
        with.line = "GET /authz/forward?uri=/public&method=PUT HTTP/1.1"
        with.fields += more
        #expect(try with.described() == asked.described())
    }

    @Test(arguments: [
        "X_Auth_Uid: a", "x.auth.uid: a", "X-Auth_Uid: a", "x-auth.uid: a", "X_Role: a", "X_Auth: a", "x~auth~uid: a",
    ])
    func `J-19: another spelling of an identity field is rejected`(_ line: String) throws {
        #expect(try asked.adding(line).reason() == "a field name is another spelling of an identity field")
        #expect(
            try Self.envoy.adding(line).reason(as: .envoy) == "a field name is another spelling of an identity field")
    }

    @Test(arguments: [
        "X-Original-URL: /admin", "x-original-uri: /admin", "X_Original_Url: /admin", "X-Rewrite-Url: /admin",
        "X-HTTP-Method-Override: DELETE", "X-HTTP-Method: DELETE", "X-Method-Override: DELETE",
    ])
    func `J-18, J-30: a field by which a service may replace the path or the method is rejected`(_ line: String) throws
    {
        let reason = "a field may replace the path or the method"
        #expect(try asked.adding(line).reason() == reason)
        #expect(try Self.envoy.adding(line).reason(as: .envoy) == reason)
        let isItsOwn = line.lowercased().hasPrefix("x-original-")
        let original = try Self.original.adding(line).reason(as: .original)
        #expect(isItsOwn ? original != reason : original == reason)
    }

    @Test(arguments: ["X-Auth-Other: root", "x-auth-role: root"])
    func `J-10: an identity field that no recipe removes is rejected`(_ line: String) throws {
        #expect(try asked.adding(line).reason() != nil)
        #expect(try Self.original.adding(line).reason(as: .original) != nil)
        #expect(try Self.envoy.adding(line).reason(as: .envoy) == nil)
    }

    @Test func `an identity field of the client is not part of the request`() throws {
        #expect(try asked.adding("X-Auth-Uid: root", "x-role: root").described() == asked.described())
    }

    @Test(arguments: [
        "X-Auth-Uid", "x-role", "Authorization", "Cookie", "X-Forwarded-Uri", "close, X-Auth", "Upgrade, x_auth_uid",
    ])
    func `J-32: Connection names no field of the decision`(_ options: String) throws {
        #expect(
            try asked.adding("Connection: \(options)", "X-Auth-Uid: a").reason()
                == "Connection names a field that the decision depends on")
    }

    @Test func `J-31: a WebSocket handshake is one however the proxy describes it`() throws {
        let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        for lines in [[key], ["Connection: Upgrade", "Upgrade: websocket"], ["Upgrade: WebSocket", key]] {
            var with = asked
            with.fields += lines
            #expect(try with.described().contains("\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"))
        }
    }

    @Test(arguments: ["h2c", "websocket, h2c", "TLS/1.0"])
    func `J-31: an upgrade to another protocol is rejected`(_ name: String) throws {
        #expect(
            try asked.adding("Connection: Upgrade, HTTP2-Settings", "Upgrade: \(name)").reason()
                == "Upgrade names a protocol other than websocket")
    }

    @Test func `J-34: the body of the proxy's request is not part of the original`() throws {
        #expect(
            try asked.adding("Content-Length: 7", "Expect: 100-continue").described() == asked.described())
    }

    @Test func `Envoy's original request line has a path`() throws {
        var asked = Self.envoy
        asked.line = "OPTIONS * HTTP/1.1"
        #expect(try asked.reason(as: .envoy) == "the request target has no path")
    }
}
