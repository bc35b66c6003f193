import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// Envoy's protocol over gRPC, from grpcio with Google's implementation of Protocol Buffers.
@Suite(
    .enabled(if: RealHTTP2Server.interpreter != nil, "GATEHOUSE_ORACLE_PYTHON names no Python: script/test sets it"),
    .sharedScenario { configuration in
        configuration["decisions"] =
            "{ address: 127.0.0.1:0, trust: [127.0.0.1/32], protocols: [http/1.1, h2c], identity: full, response_size: 8KiB }"
        configuration.routes = [
            "path: /**", "path: /public/**, auth: none", "path: /account/**, recent_sign_in: 5m",
            "path: /admin/**, providers: [saml.corp]", "path: /socket, upgrade: [websocket]",
            "path: /hosted, host: app.example, auth: none", "path: /get, methods: [GET], auth: none",
        ]
    })
struct DecisionCheckTests: SharedScenarioSuite {
    /// A call of the client.
    private struct Case: Encodable {
        var method: String? = "GET"
        var path: String? = "/a"
        var host: String? = "gateway.example"
        var address: String? = "192.0.2.7"
        var pipe: String?
        var headers = [
            [":method", "GET"], [":path", "/elsewhere"], ["x-forwarded-proto", "https"],
            ["x-forwarded-for", "192.0.2.7"],
        ]
        /// Whether the fields are sent as a `HeaderMap`.
        var separate = false
        /// The size of the body that Envoy adds, in bytes.
        var body = 0
        /// The bytes of the message in place of the others.
        var hex: String?

        func with(_ fields: String..., change: (inout Case) -> Void = { _ in }) -> Case {
            var copy = self
            for field in fields {
                let parts = field.split(separator: ":", maxSplits: 1)
                copy.headers.append([String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)])
            }
            change(&copy)
            return copy
        }

        func without(_ name: String) -> Case {
            var copy = self
            copy.headers.removeAll { $0[0] == name }
            return copy
        }
    }

    private static func call(_ cases: [Case], _ scenario: Scenario) throws -> [JSON] {
        let folder = try ScratchFolder()
        try folder.write(String(decoding: try JSONEncoder().encode(cases), as: UTF8.self), to: "cases")
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "check_client.py")
        let output = try Program.run(
            RealHTTP2Server.interpreter ?? "",
            [script.path, "\(try scenario.gateway.decisionsPort)", folder.path("cases")])
        let results = output.split(separator: "\n").compactMap { JSON(parsing: Array($0.utf8)) }
        try #require(results.count == cases.count, "\(output)")
        // J-23: Envoy would permit the request.
        #expect(!results.contains { $0["empty"] == .bool(true) })
        return results
    }

    private func call(_ cases: Case...) throws -> [JSON] { try Self.call(cases, scenario) }

    private func bearer(
        _ user: DevelopmentUser = .ada, _ change: (FirebaseToken) -> FirebaseToken = { $0 }
    ) throws -> String { "authorization: Bearer \(try scenario.token(user, change))" }

    private func expectDenied(
        _ result: JSON, _ status: Int64, _ code: String, _ detail: String = "",
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let comment = Comment(rawValue: "\(result)")
        let rpc: [Int64: Int64] = [401: 16, 403: 7, 503: 14]
        #expect(result["denied"] == .integer(status), comment, sourceLocation: sourceLocation)
        #expect(result["code"] == rpc[status].map { .integer($0) }, comment, sourceLocation: sourceLocation)
        let body = JSON(parsing: Array((result["body"]?.string ?? "").utf8))
        #expect(body?["code"] == .string(code), comment, sourceLocation: sourceLocation)
        #expect(detail.isEmpty || "\(result)".contains(detail), comment, sourceLocation: sourceLocation)
        #expect(result["set"]?["cache-control"] == .string("no-store"), sourceLocation: sourceLocation)
        #expect(result["set"]?["x-auth-uid"] == nil && result["removed"] == nil, sourceLocation: sourceLocation)
    }

    @Test func `J-20, J-22: a permitted call sets the identity, removes the rest, and has metadata`() throws {
        let results = try call(
            Case().with(try bearer(), "x-auth-uid: root", "x-auth-other: root"),
            Case().with("X-Auth-Uid: root") { $0.path = "/public/a" },
            Case().with("x-auth-uid: root") { $0.path = "/public/a?b=c" })
        let permitted = results[0]
        #expect(permitted["code"] == .integer(0) && permitted["denied"] == nil, "\(permitted)")
        #expect(permitted["set"]?["x-auth-uid"] == .string("ada") && permitted["set"]?["x-auth"] != nil)
        #expect(permitted["appends"] == .bool(false))
        let removed = permitted["removed"]?.strings ?? []
        for name in ["x-auth-assertion", "x-auth-app", "x-auth-other", "x_auth_uid", "x.auth.uid"] {
            #expect(removed.contains(name), "\(name)")
        }
        #expect(!removed.contains("x-auth-uid") && !removed.contains("x-auth"))
        let auth = permitted["metadata"]?["auth"]
        #expect(auth?["uid"] == .string("ada") && auth?["token"]?["aud"] == .string("demo-gatehouse"), "\(permitted)")
        for anonymous in results.dropFirst() {
            #expect(anonymous["code"] == .integer(0) && anonymous["set"]?["x-auth-uid"] == nil, "\(anonymous)")
            #expect(anonymous["removed"]?.strings?.contains("x-auth-uid") == true)
            #expect(anonymous["metadata"]?["auth"] == .null)
        }
    }

    @Test func `a denial has its status, challenge and document`() throws {
        let results = try call(
            Case(), Case().with(try bearer()) { $0.path = "/admin/a" },
            Case().with(try bearer { $0.signedIn(at: unixNow() - 400) }) { $0.path = "/account/a" },
            Case().with(try bearer()) {
                $0.path = "/get"; $0.method = "PUT"
            })
        expectDenied(results[0], 401, "auth/missing-credential")
        #expect(results[0]["set"]?["www-authenticate"] == .string("Bearer"))
        expectDenied(results[1], 403, "auth/permission-denied")
        expectDenied(results[2], 401, "auth/requires-recent-login")
        #expect(
            results[2]["set"]?["www-authenticate"]
                == .string("Bearer error=\"insufficient_user_authentication\", max_age=\"300\""))
        expectDenied(results[3], 403, "request/method-not-allowed")
    }

    @Test func `J-12: a missing attribute is named`() throws {
        let results = try call(
            Case().with { $0.method = nil }, Case().with { $0.path = nil }, Case().with { $0.host = nil },
            Case().with { $0.address = nil }, Case().without("x-forwarded-proto"), Case(hex: ""))
        for (result, name) in zip(
            results, ["http.method", "http.path", "http.host", "source.address", "X-Forwarded-Proto", "http.method"])
        {
            expectDenied(result, 403, "request/malformed", "\(name) is missing")
        }
    }

    @Test func `J-15, J-16, J-17: a path is decided as it is, or refused`() throws {
        let refused = [
            "/public/../a", "//public/a", "/%70ublic/a", "/public/a%2fb", "/public/..;x=1/a", "/public;/../a",
            "/public\\a",
            "public/a", "*", "/public/ a",
        ]
        let decided = ["/a?x=/public/", "/a%3F/public"]
        let results = try Self.call((refused + decided).map { path in Case().with { $0.path = path } }, scenario)
        for result in results.prefix(refused.count) { expectDenied(result, 403, "request/malformed") }
        for result in results.suffix(decided.count) { expectDenied(result, 401, "auth/missing-credential") }
    }

    @Test func `J-13, J-18, J-19, J-30: only the attributes describe the request`() throws {
        let forged = Case().with(
            "x-forwarded-uri: /public/a", "x-envoy-original-path: /public/a", "x-forwarded-host: app.example")
        let override = Case().with("x-http-method-override: DELETE") { $0.path = "/public/a" }
        let alias = Case().with("x_auth_uid: root") { $0.path = "/public/a" }
        let connection = Case().with("connection: close, x-auth-uid") { $0.path = "/public/a" }
        let results = try call(
            forged, alias, connection,
            Case().with {
                $0.method = "CONNECT"
                $0.path = nil
            },
            Case().with {
                $0.path = "/hosted"
                $0.host = "APP.example.:443"
            },
            Case().with {
                $0.path = "/public/a"
                $0.headers[2] = ["x-forwarded-proto", "https,http"]
            }, override)
        expectDenied(results[6], 403, "request/malformed", "replace")
        expectDenied(results[0], 401, "auth/missing-credential")
        expectDenied(results[1], 403, "request/malformed", "identity field")
        expectDenied(results[2], 403, "request/malformed", "Connection")
        expectDenied(results[3], 403, "request/malformed")
        #expect(results[4]["code"] == .integer(0), "\(results[4])")
        expectDenied(results[5], 403, "request/malformed", "X-Forwarded-Proto")
    }

    @Test func `J-24: a message that is not one is an error of the call, and the next one is read`() throws {
        let messages = [
            "0a", "0a05", "ff", "0affffffffffffffffff01", "0b", "08ffffffffffffffffffff01", "0a0212ff", "00", "0801",
            // `attributes` twice, and `source` as a number.
            "0a000a00", "0a020801",
        ]
        let results = try Self.call(
            messages.map { Case(hex: $0) } + [Case(body: 10_000_000), Case().with("a: b\r\nx-injected: c"), Case()],
            scenario)
        for (message, result) in zip(messages, results) {
            #expect(result["rpc"] == .string("INVALID_ARGUMENT"), "\(message) \(result)")
        }
        #expect(results[messages.count]["rpc"] == .string("RESOURCE_EXHAUSTED"), "\(results[messages.count])")
        expectDenied(results[messages.count + 1], 403, "request/malformed")
        expectDenied(results[messages.count + 2], 401, "auth/missing-credential")
    }

    @Test func `fields are read in both forms, and a repeated credential is refused`() throws {
        let bearer = try bearer()
        let results = try call(
            Case(separate: true).with(bearer), Case(separate: true).with(bearer, bearer), Case().with(bearer, bearer),
            // Envoy joins repeated fields.
            Case().with("\(bearer),Bearer x"),
            Case(headers: [["x-forwarded-proto", "https"], ["cookie", "__session=\(try scenario.cookie())"]]))
        #expect(results[0]["set"]?["x-auth-uid"] == .string("ada"), "\(results[0])")
        #expect(results[4]["set"]?["x-auth-uid"] == .string("ada"), "\(results[4])")
        expectDenied(results[3], 401, "auth/argument-error")
        for result in results[1...2] { expectDenied(result, 403, "request/ambiguous-credentials") }
    }

    @Test func `J-31: a WebSocket handshake needs a route for it`() throws {
        let fields = ["connection: Upgrade", "upgrade: websocket", "sec-websocket-version: 13"]
        let key = "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ=="
        let handshake = Case().with(fields[0]).with(fields[1]).with(fields[2]).with(key).with(try bearer())
        let results = try call(
            handshake.with { $0.path = "/socket" }, handshake,
            Case().with(try bearer(), "connection: Upgrade", "upgrade: h2c") { $0.path = "/socket" })
        #expect(results[0]["code"] == .integer(0), "\(results[0])")
        expectDenied(results[1], 403, "auth/permission-denied")
        expectDenied(results[2], 403, "request/malformed", "Upgrade")
    }

    @Test func `J-22, J-34: only a call over HTTP/2 is answered in the form of gRPC`() throws {
        let fields = ["Content-Type: application/grpc", "TE: trailers"]
        let path = "/envoy.service.auth.v3.Authorization/Check"
        var request = WireRequest(method: "POST", target: path, fields: fields, host: "gatehouse")
        #expect(try scenario.ask(request).status == 403)
        request.method = "GET"
        #expect(try scenario.ask(request).status == 403)
        // A malformed head of an HTTP request that is about a call of gRPC. Envoy would read 200 as a permit.
        let client = try HTTP2Client(port: try scenario.gateway.decisionsPort)
        let head = [
            (":method", "POST"), (":scheme", "http"), (":path", "/authz/envoy/a"), (":authority", "a"),
            ("content-type", "application/grpc"),
        ]
        let malformed = try client.exchange(head + [("connection", "close")])
        #expect(malformed.status == 403 || malformed.reset != nil, "\(malformed)")
        #expect(try client.exchange(head).status == 403)
        // The other endpoints are served over HTTP/2 too.
        let asked = head.map { $0.0 == ":path" ? ($0.0, "/authz/envoy/public/a") : $0 }
        let answer = try client.exchange(asked + [("x-forwarded-proto", "http"), ("x-forwarded-for", "192.0.2.7")])
        #expect(answer.status == 200 && answer["x-envoy-auth-headers-to-remove"] != nil, "\(answer)")
    }
}

extension JSON {
    fileprivate var string: String? { if case .string(let text) = self { text } else { nil } }
    fileprivate var strings: [String]? { if case .array(let all) = self { all.compactMap(\.string) } else { nil } }
}
