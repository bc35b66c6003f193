import Forwarding
import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import SystemFixtures

@Suite struct OutgoingHeadTests {
    private static let ours =
        "X-Request-Id: 00000000000000010000000000000002\r\n"
        + "traceparent: 00-00000000000000030000000000000004-0000000000000005-00\r\n"
        + "X-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: http\r\nX-Forwarded-Host: a.example\r\n"
        + "Forwarded: for=192.0.2.1;proto=http;host=\"a.example\"\r\n"

    private let anonymous = ForwardedHead()
    private let signedIn = ForwardedHead(token: .idToken())

    private func get(_ lines: String...) -> String {
        "GET /x HTTP/1.1\r\nHost: a.example\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n"
    }

    @Test func `fields of the client are kept byte for byte`() throws {
        let head = try anonymous.render(
            "PATCH /%7e?a=%7e&b HTTP/1.1\r\nHost: a.example\r\nx-A:  b  c \r\nX-a:\r\nAccept: */*\r\nContent-Length: 0\r\n\r\n",
            path: "/~")
        #expect(
            head.head
                == "PATCH /~?a=%7e&b HTTP/1.1\r\nHost: a.example\r\nx-A:  b  c \r\nX-a:\r\nAccept: */*\r\n"
                + Self.ours + "Content-Length: 0\r\n\r\n")
    }

    @Test(arguments: ["5", "0005", "\t5 \t"]) func `the length has one spelling`(spelling: String) throws {
        let head = try anonymous.render("POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\(spelling)\r\n\r\n")
        #expect(head.head.hasSuffix("\r\nContent-Length: 5\r\n\r\n"))
        #expect(head.values("Content-Length").count == 1)
    }

    @Test func `an identity follows the fields that were kept`() throws {
        let head = try ForwardedHead(
            renderer: IdentityRenderer(prefix: "X-Auth-", sendsVariable: false, extra: []), token: .idToken()
        ).render(get("Accept: */*"))
        let time = ManualClock.start - 100
        #expect(
            head.head
                == "GET / HTTP/1.1\r\nHost: a.example\r\nAccept: */*\r\nX-Auth-Uid: user-1\r\nX-Auth-Provider: google.com\r\n"
                + "X-Auth-Email: a@example.com\r\nX-Auth-Email-Verified: true\r\nX-Auth-Time: \(time)\r\n" + Self.ours
                + "\r\n")
    }

    @Test func `A-01: a claim without a value leaves no client value`() throws {
        let extra = IdentityRenderer.Extra(name: "X-Role", source: .claim(["role"]))
        let renderer = IdentityRenderer(prefix: "X-Auth-", sendsVariable: true, extra: [extra])
        let head = try ForwardedHead(renderer: renderer, token: .idToken().with("email", nil))
            .render(get("X-Role: admin", "x_role: admin", "X-Auth-Email: evil@example.com"))
        #expect(head.values("X-Role").isEmpty)
        #expect(head.values("x_role").isEmpty)
        #expect(head.values("X-Auth-Email").isEmpty)
    }

    @Test func `A-02, A-08, A-09: an anonymous request has no identity field`() throws {
        for method in ["GET", "OPTIONS"] {
            let head = try anonymous.render(
                "\(method) / HTTP/1.1\r\nHost: a\r\nX-Auth-Uid: admin\r\nX-Auth: e30\r\n\r\n")
            #expect(!head.head.lowercased().contains("x-auth"))
        }
    }

    @Test(arguments: [
        "X_Auth_Uid", "X-Auth_Uid", "x_auth-uid", "X.Auth.Uid", "X-AUTH-UID", "X-Auth-Anything", "X_Auth", "x-auth",
        "X-Auth-Token",
    ])
    func `A-03: every spelling of an identity field is removed`(name: String) throws {
        let head = try signedIn.render(get("\(name): admin"))
        #expect(!head.head.contains("admin"))
        #expect(head.values("X-Auth-Uid") == ["user-1"])
    }

    @Test(arguments: [
        "X-Forwarded-For", "X_Forwarded_For", "X_Forwarded_Proto", "X-Forwarded-Prefix", "X-Forwarded-Uri",
        "X-Forwarded-Method", "X-Forwarded-Port", "Forwarded", "X-Real-IP", "x_real_ip", "True-Client-IP",
        "X-Original-URL", "X-Rewrite-URL", "X-Envoy-Original-Path", "X-HTTP-Method-Override", "X-HTTP-Method",
        "X-Method-Override", "X-Request-Id", "traceparent", "tracestate",
    ])
    func `A-05, A-10, A-11, A-12: fields that only the gateway may write are removed`(name: String) throws {
        for peer in ["192.0.2.1", "10.0.0.1", "127.0.0.1", "::1"] {
            let head = try ForwardedHead(peer: peer).render(get("\(name): evil"))
            #expect(!head.head.contains("evil"))
        }
    }

    @Test(arguments: [
        (["X-Authorization: a", "X-Authx: b"], "X-Authorization", ["a"]), (["X-Authx: b"], "X-Authx", ["b"]),
        (["X-Auth-Uid: a", "Accept: */*", "X-Auth-Uid: b", "X-Auth-Uid:"], "X-Auth-Uid", ["user-1"]),
        (["Authorization: bearer a.b.c"], "Authorization", []), (["Authorization: Bearer a.b.c"], "Authorization", []),
        (["Authorization: Bearer a", "Authorization: Bearer b", "Authorization: BEARER"], "Authorization", []),
        (["Cookie: a=b", "Cookie: __session=eyJ.b.c", "Cookie: c=d"], "Cookie", ["a=b", "c=d"]),
    ])
    func `A-06, A-23: every copy of a managed field is removed`(lines: [String], name: String, values: [String]) throws
    {
        let request = "GET /x HTTP/1.1\r\nHost: a.example\r\n" + lines.map { "\($0)\r\n" }.joined() + "\r\n"
        #expect(try signedIn.render(request).values(name) == values)
        #expect(try anonymous.render(request).values(name) == values.filter { $0 != "user-1" })
    }

    @Test(arguments: [
        ("GET / HTTP/1.0\r\n\r\n", "/", "GET / HTTP/1.1", "upstream:3000"),
        ("GET http://a.example:81/x HTTP/1.0\r\n\r\n", "/x", "GET /x HTTP/1.1", "a.example:81"),
        ("GET http://a.example/x?y HTTP/1.1\r\nHost: a.example\r\n\r\n", "/x", "GET /x?y HTTP/1.1", "a.example"),
        ("GET /? HTTP/1.1\r\nHost: a\r\n\r\n", "/", "GET /? HTTP/1.1", "a"),
    ])
    func `the head has path, query and one host`(request: String, path: String, start: String, host: String) throws {
        let head = try anonymous.render(request, path: path)
        #expect(head.start == start && head.values("Host") == [host])
        #expect(head.value("Forwarded")?.hasSuffix("host=\"\(host)\"") == true)
    }

    @Test(arguments: ["X-Auth-Uid, x-forwarded-for", "x-auth-uid", "X-AUTH, X-Request-Id, forwarded"])
    func `A-16: Connection cannot remove managed fields`(options: String) throws {
        let head = try signedIn.render(get("Connection: \(options)", "X-Auth-Uid: admin"))
        #expect(head.values("X-Auth-Uid") == ["user-1"])
        #expect(head.values("X-Auth").count == 1)
        #expect(head.values("X-Forwarded-For") == ["192.0.2.1"])
        #expect(head.values("Connection").isEmpty)
    }

    @Test func `hop-by-hop fields are removed`() throws {
        let head = try anonymous.render(
            get(
                "Connection: keep-alive, X-Hop, upgrade", "X-Hop: 1", "Keep-Alive: 5", "TE: trailers", "Upgrade: h2c",
                "Proxy-Connection: a", "Proxy-Authorization: b", "Trailer: X-Sum", "Expect: 100-continue",
                "HTTP2-Settings: x"))
        #expect(head.head == "GET / HTTP/1.1\r\nHost: a.example\r\n" + Self.ours + "\r\n")
    }

    @Test func `another scheme keeps its bytes`() throws {
        #expect(
            try anonymous.render(get("Authorization:  Basic  YQ== ")).head.contains(
                "\r\nAuthorization:  Basic  YQ== \r\n"))
    }

    @Test func `the token is forwarded if configured`() throws {
        let head = try ForwardedHead(forwardsCredential: true, token: .idToken())
            .render(get("Authorization: Bearer a.b.c", "Cookie: __session=eyJ.b.c; x=y"))
        #expect(head.values("Authorization") == ["Bearer a.b.c"])
        #expect(head.values("Cookie") == ["__session=eyJ.b.c; x=y"])
    }

    @Test(arguments: [
        ("__session=eyJ.b.c", nil), ("a=b; __session=eyJ.b.c", "a=b"), ("__session=eyJ.b.c; a=b", "a=b"),
        ("a=b; __session=eyJ.b.c; c=d", "a=b; c=d"), ("__session=eyJ.b.c; __session=eyJ.b.c", nil),
        ("a=\"x y\";__session=eyJ.b.c;  b", "a=\"x y\";  b"), ("__session=opaque; a=b", "__session=opaque; a=b"),
        ("__session=example.com.x; a=b", "__session=example.com.x; a=b"), ("__Session=eyJ.b.c", "__Session=eyJ.b.c"),
    ])
    func `H-12: the session cookie is removed and other cookies keep their bytes`(cookies: String, kept: String?) throws
    {
        #expect(try anonymous.render(get("Cookie: \(cookies)")).value("Cookie") == kept)
    }

    @Test func `an IPv6 peer is quoted in Forwarded`() throws {
        let head = try ForwardedHead(peer: "2001:db8::1").render(get())
        #expect(head.value("X-Forwarded-For") == "2001:db8::1")
        #expect(head.value("Forwarded") == "for=\"[2001:db8::1]\";proto=http;host=\"a.example\"")
    }

    @Test func `a chunked body is declared once`() throws {
        let head = try anonymous.render(
            "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\nTrailer: X-Sum\r\nConnection: transfer-encoding\r\n\r\n"
        )
        #expect(head.values("Transfer-Encoding") == ["chunked"])
        #expect(head.values("Trailer") == ["X-Sum"])
        #expect(head.values("Content-Length").isEmpty)
    }

    @Test(arguments: [
        ("X-Sum, X-Auth-Uid", ["X-Sum"]), ("x_auth_uid,Forwarded", []), ("Content-Length, X-A,X-B", ["X-A, X-B"]),
        ("X-A\r\nTrailer: proxy, X-B", ["X-A, X-B"]),
    ])
    func `A-01: only trailers that pass are announced`(announced: String, passed: [String]) throws {
        let head = try anonymous.render(
            "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\nTrailer: \(announced)\r\n\r\n")
        #expect(head.values("Trailer") == passed)
    }

    @Test(arguments: ["Proxy", "proxy", "PROXY"])
    func `A-05: httpoxy's field never passes`(name: String) throws {
        #expect(
            try anonymous.render(get("\(name): http://evil.example", "X-Proxy: kept")).lines.filter {
                $0.lowercased().contains("proxy")
            } == ["X-Proxy: kept"])
    }

    @Test func `A-03: fields that the configuration removes go in every spelling`() throws {
        var anonymous = anonymous
        anonymous.removed.names = ["Remote-User"]
        anonymous.removed.prefixes = ["CF-"]
        let head = try anonymous.render(
            get("Remote-User: a", "remote_user: b", "CF-Connecting-IP: c", "cf_ray: d", "Remote-Users: e", "XCF-A: f"))
        #expect(head.lines.filter { [": a", ": b", ": c", ": d"].contains(where: $0.hasSuffix) }.isEmpty)
        #expect(head.value("Remote-Users") == "e" && head.value("XCF-A") == "f")
    }

    @Test func `a later recorded sign-in is forwarded`() throws {
        let later = UnixTime(clamping: ManualClock.start - 10)
        let head = try ForwardedHead(token: .idToken(), signedInAt: later).render(get())
        #expect(head.values("X-Auth-Time") == ["\(later)"])
        #expect(head.lines.filter { $0.hasPrefix("X-Auth") }.count == 6)
    }
}
