import GatewayCore
import HTTPWire
import NIOCore
import Testing

@testable import Decisions
@testable import HTTPServer
@testable import SystemFixtures

/// A permitting response sets identity fields, and names those that Envoy must remove.
struct PermittingResponseTests {
    private static let identity = "X-Auth-Uid: u\r\nX-Auth: e30\r\nX-Role: a\r\nX-Auth-Time: 1\r\n"

    private func render(
        _ identity: String, isCompact: Bool = true, limit: Int = 4096, isEnvoy: Bool = false, sent: [String] = []
    ) throws -> [String]? {
        let response = try withAsked(sent) { request in
            PermittingResponse(AskedRequest.names, isCompact: isCompact, limit: limit)
                .render(identity: Array(identity.utf8), isEnvoy: isEnvoy, for: request)
        }
        guard let response else { return nil }
        var output = ByteBuffer()
        response.write(into: &output, for: RequestRecord(), date: Array("Date: now\r\n".utf8), closes: false)
        return String(decoding: output.readableBytesView, as: UTF8.self).split(separator: "\r\n").map(String.init)
    }

    private func withAsked<Result>(_ lines: [String], _ body: (RequestView) -> Result) throws -> Result {
        let text = "GET / HTTP/1.1\r\nHost: a\r\n\(lines.map { "\($0)\r\n" }.joined())\r\n"
        let table = FieldTable(capacity: 64)
        return try Array(text.utf8).withUnsafeBytes { bytes in
            let head = try RequestParser.parse(bytes, fields: table)
            return body(RequestView(head: head, bytes: bytes, fields: table))
        }
    }

    @Test func `J-22, J-26: it is 200 and not stored by caches`() throws {
        let lines = try #require(try render(Self.identity))
        #expect(lines.first == "HTTP/1.1 200 OK")
        #expect(lines.contains("Cache-Control: no-store"))
        #expect(!lines.contains { $0.hasPrefix("ETag") || $0.hasPrefix("Last-Modified") })
    }

    @Test func `the compact form omits only the variable`() throws {
        #expect(try render(Self.identity)?.contains("X-Auth: e30") == false)
        #expect(try render(Self.identity)?.contains("X-Auth-Uid: u") == true)
        #expect(try render(Self.identity, isCompact: false)?.contains("X-Auth: e30") == true)
    }

    @Test func `J-35: a head over the limit is not cut`() throws {
        let long = "X-Auth-Uid: \(String(repeating: "a", count: 3_400))\r\n"
        #expect(try render(long) != nil)
        #expect(try render(long + long) == nil)
        #expect(try render(long + long, limit: 16_384) != nil)
    }

    @Test func `J-02: names that a client adds do not make the head larger than the limit`() throws {
        let sent = (0..<60).map { "X-Auth-\(String(repeating: "a", count: 100))\($0): v" }
        #expect(try render("", limit: 65_536, isEnvoy: true, sent: sent) != nil)
        #expect(try render("", isEnvoy: true) != nil)
        #expect(try render("", isEnvoy: true, sent: sent) == nil)
    }

    @Test func `J-20: Envoy removes each field that is not set, in other spellings too`() throws {
        let line = try #require(
            try render(Self.identity, isEnvoy: true, sent: ["X-Auth-Other: a"])?
                .first { $0.hasPrefix("x-envoy-auth-headers-to-remove: ") })
        let removed = Set(line.split(separator: ": ")[1].split(separator: ", ").map(String.init))
        for name in [
            "x-auth", "x-auth-email", "x-auth-assertion", "x-auth-other", "x_auth_uid", "x.auth.uid", "x-auth_uid",
            "x_auth.email-verified", "x-original-url", "x-http-method-override",
        ] {
            #expect(removed.contains(name), "\(name)")
        }
        for name in ["x-auth-uid", "x-role", "x-auth-time"] { #expect(!removed.contains(name), "\(name)") }
    }

    @Test func `J-10: the annotation for ingress-nginx lists all identity fields`() throws {
        let page = try MarkdownPage("docs/guides/proxies/README.md")
        let block = try #require(page.blocks.first { $0.text.contains("auth-response-headers") })
        let line = try #require(block.text.split(separator: "\n").first { $0.contains("auth-response-headers") })
        let listed = line.split(separator: ": ")[1].lowercased().split(separator: ",").map(String.init)
        #expect(Set(listed) == Set(AskedRequest.names.names).subtracting(["x-role"]))
    }

    @Test func `J-21: no field is both set and removed`() throws {
        var random = SeededRandom(seed: 21)
        let names = ["X-Auth-Uid", "X-AUTH", "x-role", "X-Auth-Email", "x_auth_uid", "X.Auth", "X-Auth-New"]
        let renderer = PermittingResponse(AskedRequest.names, isCompact: false, limit: 65_536)
        for _ in 0..<500 {
            let identity = names.filter { _ in Bool.random(using: &random) }.map { "\($0): v\r\n" }.joined()
            let sent = names.filter { _ in Bool.random(using: &random) }.map { "\($0): v" }
            let set = Set(PermittingResponse.lines(of: Array(identity.utf8)).map(\.name))
            let removed = try withAsked(sent) { renderer.removed(besides: set, $0) }
            #expect(set.isDisjoint(with: removed.map { $0.lowercased() }))
            #expect(Set(removed).count == removed.count)
        }
    }

    @Test(arguments: DecisionCode.allCases)
    func `J-22: a denial is 401, 403 or 503, and an error of the client is never 503`(_ code: DecisionCode) {
        let status = DecisionStatus.status(of: code)
        #expect([401, 403, 503].contains(status))
        #expect((status == 503) == (code.status >= 500) && (status == 401) == (code.status == 401))
    }

    @Test func `endpoints have one spelling`() {
        func endpoint(_ path: String) -> DecisionEndpoint? { Array(path.utf8).withUnsafeBytes { DecisionEndpoint($0) } }
        #expect(endpoint("/authz/forward") == .proxy(.forward) && endpoint("/authz/original") == .proxy(.original))
        #expect(endpoint("/authz/envoy/a/b") == .proxy(.envoy) && endpoint("/authz/envoy/") == .proxy(.envoy))
        for path in ["/authz/envoy", "/authz/envoyer/", "/authz/forward/", "/AUTHZ/forward", "//authz/forward", "/"] {
            #expect(endpoint(path) == nil, "\(path)")
        }
    }
}
