import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// The sign-in helper of Firebase on the app's own host. The test plays `PROJECT.firebaseapp.com`.
@Suite struct AuthHelperTests {
    private func rig(_ adjust: (inout Configuration) -> Void = { _ in }) throws -> RequestPathRig {
        let rig = try RequestPathRig { configuration in
            configuration.identity.firebase?.appCheck = nil
            configuration.identity.firebase?.authHelper = true
            adjust(&configuration)
            configuration.addAuthHelper(at: SourceLocation(origin: "test"))
            configuration.upstreams[1].servers = configuration.upstreams[0].servers
        }
        try rig.installKeys()
        return rig
    }

    private static let userField = "Authorization: Bearer \(TokenDraft.idToken().signed())"

    @Test(arguments: [
        "GET /__/auth/handler?apiKey=k&redirectUrl=https%3A%2F%2Fa.example%2F", "GET /__/auth/iframe.js",
        "HEAD /__/auth/links", "GET /__/firebase/init.json", "GET /__/auth/a/b",
    ])
    func `the helper is forwarded without credentials`(line: String) throws {
        let rig = try rig { $0.headers.forwardCredential = true }
        let client = try rig.send(
            "\(line) HTTP/1.1\r\nHost: a.example\r\nCookie: session=1; other=2\r\n\(Self.userField)\r\n"
                + "X-Firebase-AppCheck: t\r\nX_Firebase_AppCheck: t\r\nProxy-Authorization: p\r\nAccept: */*\r\n\r\n")
        let head = try rig.upstream.accept().readHead()
        #expect(head.head.hasPrefix("\(line) HTTP/1.1\r\n"))
        #expect(head.values("Host") == ["\(TokenDraft.project).firebaseapp.com"])
        #expect(head.values("Accept") == ["*/*"])
        let text = head.head.lowercased()
        #expect(!text.contains("cookie") && !text.contains("authorization") && !text.contains("appcheck"))
        #expect(!text.contains("x-auth"))
        withExtendedLifetime(client) {}
    }

    @Test func `the helper receives nothing about the client, the page and the trace`() throws {
        let rig = try rig()
        let client = try rig.send(
            "GET /__/auth/handler HTTP/1.1\r\nHost: a.example\r\nReferer: https://a.example/secret\r\n"
                + "X-Forwarded-For: 192.0.2.1\r\nForwarded: for=192.0.2.1\r\nX_Real_IP: 192.0.2.1\r\n"
                + "traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01\r\ntracestate: a=1\r\n"
                + "Baggage: user=ada\r\nX-B3-TraceId: 1\r\nb3: 0\r\nX-Cloud-Trace-Context: 1\r\nOrigin: null\r\n\r\n")
        let text = try rig.upstream.accept().readHead().head.lowercased()
        for name in ["referer", "forwarded", "real", "trace", "baggage", "b3", "request-id", "a.example", "127.0.0.1"] {
            #expect(!text.contains(name), "\(name)")
        }
        #expect(text.contains("origin: null"))
        withExtendedLifetime(client) {}
    }

    @Test(arguments: ["/__/auth/handler", "/__/firebase/init.json"])
    func `a decision for another proxy never permits a path of the helper`(path: String) throws {
        let rig = try RequestPathRig(decides: true) { configuration in
            configuration.identity.firebase?.authHelper = true
            configuration.addAuthHelper(at: SourceLocation(origin: "test"))
        }
        try rig.installKeys()
        let body = "{\"url\":\"https://a\(path)\"}"
        let response = try rig.send(
            "POST /decide HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
        ).readMessage()
        #expect(response.status == 200 && response.body.contains("\"allow\":false"), "\(response.body)")
        #expect(response.body.contains("\"route/not-found\""), "\(response.body)")
    }

    /// Apple and SAML providers respond with a form that the browser posts from their site.
    @Test func `a form of another site reaches the helper`() throws {
        let rig = try rig()
        let client = try rig.send(
            "POST /__/auth/handler HTTP/1.1\r\nHost: a.example\r\nOrigin: https://appleid.apple.com\r\n"
                + "Sec-Fetch-Site: cross-site\r\nCookie: __session=\(TokenDraft.sessionCookie().signed())\r\n"
                + "Content-Length: 2\r\n\r\na=")
        let server = try rig.upstream.accept()
        #expect(try server.readHead().head.hasPrefix("POST /__/auth/handler HTTP/1.1\r\n"))
        withExtendedLifetime(client) {}
    }

    @Test func `other methods and paths are not part of the helper`() throws {
        let rig = try rig { $0.routes = [Self.appRoute] }
        for (line, status) in [
            ("PUT /__/auth/handler", 405), ("POST /__/firebase/init.json", 405), ("GET /__/firebase/hosting.json", 404),
        ] {
            let client = try rig.send("\(line) HTTP/1.1\r\nHost: a.example\r\nContent-Length: 0\r\n\r\n")
            #expect(try client.readMessage().status == status)
        }
    }

    private static var appRoute: Configuration.Route {
        Configuration.Route(path: "/app", upstream: "api", location: SourceLocation(origin: "test"))
    }

    @Test func `its pages may be framed by the app, and set no policy for the app's host`() throws {
        let rig = try rig {
            $0.responseHeaders.set = [
                .init(name: "X-Frame-Options", value: "DENY"),
                .init(name: "Content-Security-Policy", value: "default-src 'none'"),
                .init(name: "X-Content-Type-Options", value: "nosniff"),
            ]
        }
        let (client, server) = try rig.exchange("GET /__/auth/iframe HTTP/1.1\r\nHost: a\r\n\r\n")
        try server.send(
            "HTTP/1.1 200 OK\r\nX-Frame-Options: DENY\r\nStrict-Transport-Security: max-age=9; includeSubDomains\r\n"
                + "Cache-Control: max-age=1200\r\nContent-Length: 0\r\n\r\n")
        let response = try client.readMessage()
        #expect(response.values("X-Frame-Options") == ["SAMEORIGIN"])
        #expect(response.values("Content-Security-Policy").isEmpty)
        #expect(response.values("X-Content-Type-Options") == ["nosniff"])
        #expect(response.values("Strict-Transport-Security").isEmpty)
        #expect(response.values("Cache-Control") == ["max-age=1200"])
    }

    @Test func `its responses do not act on the app's host, and keep the transport policy of the file`() throws {
        let names = [
            "Set-Cookie", "Clear-Site-Data", "Alt-Svc", "NEL", "Report-To", "Reporting-Endpoints",
            "Service-Worker-Allowed", "Strict-Transport-Security",
        ]
        for policy in [nil, "max-age=1"] {
            let rig = try rig {
                guard let policy else { return }
                $0.responseHeaders.set = [.init(name: "Strict-Transport-Security", value: policy)]
            }
            let (client, server) = try rig.exchange("GET /__/auth/iframe HTTP/1.1\r\nHost: a\r\n\r\n")
            try server.send(
                "HTTP/1.1 200 OK\r\n\(names.map { "\($0): x\r\n" }.joined())Content-Length: 0\r\n\r\n")
            let response = try client.readMessage()
            #expect(names.flatMap(response.values) == (policy.map { [$0] } ?? []))
        }
    }
}
