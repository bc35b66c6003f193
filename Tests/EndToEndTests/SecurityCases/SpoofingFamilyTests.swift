import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The routes by which a request reaches the upstream.
enum Passage: CaseIterable, Sendable {
    case signedIn, cookie, optionalSignedIn, optionalAnonymous, publicAnonymous, publicSignedIn, preflight

    /// The method, the target and the field line of the credential.
    func request(_ scenario: Scenario, fields: [String]) throws -> WireRequest {
        let bearer = "Authorization: Bearer \(try scenario.token())"
        let (method, target, credential): (String, String, String?) =
            switch self {
            case .signedIn: ("GET", "/me/s", bearer)
            case .cookie: ("PUT", "/me/s", "Cookie: __session=\(try scenario.cookie(.ada))")
            case .optionalSignedIn: ("GET", "/optional/s", bearer)
            case .optionalAnonymous: ("DELETE", "/optional/s", nil)
            case .publicAnonymous: ("GET", "/public/s", nil)
            case .publicSignedIn: ("GET", "/public/s", bearer)
            case .preflight: ("OPTIONS", "/public/s", "Access-Control-Request-Method: PUT")
            }
        return WireRequest(method: method, target: target, fields: [credential].compactMap { $0 } + fields)
    }

    var hasIdentity: Bool { self == .signedIn || self == .cookie || self == .optionalSignedIn }
}

/// Tests each managed field in each equivalent spelling, on each kind of route.
@Suite(.sharedScenario) struct SpoofingFamilyTests: SharedScenarioSuite {
    static let managed: [String] = [
        "A-01 X-Auth-Uid", "A-01 X-Auth", "A-01 X-Auth-Provider", "A-01 X-Auth-Time", "A-01 X-Auth-Email",
        "A-01 X-Auth-Email-Verified", "A-01 X-Auth-Project", "A-01 X-Auth-Tenant", "A-21 X-Auth-Assertion",
        "A-06 X-Role",
        "A-05 X-Forwarded-For", "A-05 X-Forwarded-Proto", "A-05 X-Forwarded-Prefix", "A-05 X-Forwarded-Server",
        "A-05 X-Forwarded-Client-Cert", "A-20 X-Forwarded-Port", "A-12 X-Real-IP", "A-12 True-Client-IP",
        "A-12 Forwarded", "A-10 X-Forwarded-Host", "A-10 X-Forwarded-Uri", "A-10 X-Forwarded-Method",
        "A-10 X-Original-URL", "A-10 X-Original-URI", "A-10 X-Original-Method", "A-10 X-Rewrite-URL",
        "A-10 X-Envoy-Original-Path", "A-10 X-Envoy-Original-Host", "A-10 X-HTTP-Method-Override",
        "A-10 X-HTTP-Method", "A-10 X-Method-Override", "A-05 Proxy", "A-10 X-Original-Host",
        "A-03 X-Auth-Anything", "A-03 X-Auth-",
    ]

    /// Spellings of a name that a CGI variable, a framework or an inexact proxy reads as the same name.
    private static func spellings(of name: String) -> [String] {
        let lower = name.lowercased()
        let separators = ["-", "_", ".", "~", "'", "!"]
        var all = [name, lower, name.uppercased()] + separators.map { lower.replacing("-", with: $0) }
        if let dash = name.firstIndex(of: "-") {
            all += separators.map { name[..<dash] + $0 + name[name.index(after: dash)...] }
        }
        return all
    }

    @Test(.tags(.a01, .a02, .a03, .a05, .a08, .a20), arguments: managed, Passage.allCases)
    func `no spelling of a managed field is forwarded`(id: String, passage: Passage) throws {
        let name = String(id.dropFirst(5))
        let lines = Self.spellings(of: name).map { "\($0): spoofed \($0)" }
        let report = try scenario.passes(passage.request(scenario, fields: lines + ["X-Kept: kept"]))
        #expect(report.lines.filter { $0.contains("spoofed") } == [])
        #expect(report["X-Kept"] == "kept")
        expectIdentity(report, passage)
    }

    static let copies: [[String]] = [
        ["X-Auth-Uid: root", "X-Auth-Uid: ada"], ["X-Auth-Uid: ada", "X-Auth-Uid: root"],
        ["X-Role: user", "X-Role: root", "X-Role: user"], ["X-Role: admin,root"], ["x-role: root", "X_ROLE: admin"],
        ["X-Auth: cm9vdA", "X-Auth: cm9vdA"], ["X-Auth-Uid:", "X-Auth-Uid: root"], ["X-Auth-Uid: \t root \t"],
    ]

    @Test(.tags(.a06), arguments: copies, Passage.allCases)
    func `no copy of an identity field is forwarded`(lines: [String], passage: Passage) throws {
        let report = try scenario.passes(passage.request(scenario, fields: lines))
        #expect(report.lines.filter { $0.contains("root") || $0.contains("cm9vda") } == [])
        expectIdentity(report, passage)
    }

    static let connections: [[String]] = [
        ["Connection: X-Auth-Uid, x-forwarded-for, X-Role, X-Auth, X-Auth-Time"],
        ["Connection: close", "CONNECTION: x-auth-uid", "connection: X-ROLE ,\tx-request-id"],
        ["Connection: upgrade, X-Auth-Uid", "Upgrade: websocket"],
        ["Connection: keep-alive, X-Forwarded-Proto, Forwarded, traceparent"],
        ["Keep-Alive: X-Auth-Uid", "Proxy-Connection: X-Auth-Uid"], ["Connection: authorization, cookie"],
    ]

    @Test(.tags(.a16, .a17), arguments: connections, Passage.allCases)
    func `a Connection field removes none of the fields of the gateway`(lines: [String], passage: Passage) throws {
        let spoofed = ["X-Auth-Uid: spoofed", "X-Role: spoofed", "X-Forwarded-For: spoofed"]
        let report = try scenario.passes(passage.request(scenario, fields: lines + spoofed))
        #expect(report.lines.filter { $0.contains("spoofed") } == [])
        #expect(report["Upgrade"] == nil)
        expectIdentity(report, passage)
    }

    @Test(.tags(.a01)) func `a claim without a value leaves no field of the client`() throws {
        let fields = [
            "X-Auth-Email: spoofed", "X-Role: spoofed", "X-Auth-Project: spoofed", "X-Auth-Tenant: spoofed",
        ]
        var request = try WireRequest.bearer(scenario.token(.margaret), "/me/a01")
        request.fields += fields
        let report = try scenario.passes(request)
        #expect(report.values("X-Auth-Uid") == ["margaret"] && report["X-Auth-Email-Verified"] == nil)
        for name in ["X-Auth-Email", "X-Role", "X-Auth-Project", "X-Auth-Tenant"] {
            #expect(report[name] == nil, "\(name)")
        }
    }

    @Test func `A-01: an empty e-mail address is neither forwarded nor verified`() throws {
        let token = try scenario.token { $0.setting("email", to: "").setting("email_verified", to: true) }
        let report = try scenario.passes(.bearer(token, "/me/a01"))
        #expect(report["X-Auth-Email"] == nil && report["X-Auth-Email-Verified"] == nil)
    }

    @Test func `A-01: a managed trailer is neither forwarded nor announced`() throws {
        let client = try scenario.client(
            sending:
                "POST /public/trailer HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Auth-Uid, X-Sum, Proxy\r\n\r\n"
                + "2\r\nhi\r\n0\r\nX-Auth-Uid: spoofed\r\nProxy: spoofed\r\nX-Sum: 1\r\nX-Unannounced: spoofed\r\n\r\n")
        let report = try #require(EchoReport(try client.response()))
        #expect(report.values("Trailer") == ["X-Sum"] && report.trailers.map(\.name) == ["X-Sum"])
        #expect(report.body == "hi" && report.lines.filter { $0.contains("spoofed") } == [])
    }

    @Test func `A-09: an invalid token on an optional route is not forwarded`() throws {
        let expired = try scenario.token { $0.expiring(at: unixNow() - 10) }
        try scenario.expectRefusal(
            .bearer(expired, "/optional/a09", "X-Auth-Uid: spoofed"), 401, "auth/id-token-expired")
    }

    @Test(.tags(.a10), arguments: managed.filter { $0.hasPrefix("A-10") })
    func `a field with another path has no effect`(id: String) throws {
        let request = WireRequest.get("/me/a10", "\(id.dropFirst(5)): /public/spoofed")
        try scenario.expectRefusal(request, 401, "auth/missing-credential", challenge: "Bearer")
    }

    @Test(.tags(.a16), arguments: ["host", "content-length"])
    func `a Connection field cannot name Host or Content-Length`(name: String) throws {
        expectDenial(try scenario.send(.get("/public/a16", "Connection: \(name)")), 400, "request/malformed")
    }

    @Test func `fields of the connection are not forwarded`() throws {
        let fields = ["Connection: X-Hop", "X-Hop: 1", "Keep-Alive: 1", "TE: trailers", "Upgrade: 1"]
        let report = try scenario.passes(WireRequest(target: "/public/hop", fields: fields))
        for name in ["X-Hop", "Keep-Alive", "TE", "Upgrade"] { #expect(report[name] == nil, "\(name)") }
    }

    @Test func `fields with similar names are forwarded`() throws {
        let names = ["X-Authorization", "X-Author", "Auth"]
        let report = try scenario.passes(WireRequest(target: "/public/similar", fields: names.map { "\($0): kept" }))
        for name in names { #expect(report[name] == "kept", "\(name)") }
    }

    /// Expects each field of the gateway once with its value. An anonymous request has no identity fields.
    private func expectIdentity(
        _ report: EchoReport, _ passage: Passage, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let isKnown = passage.hasIdentity
        #expect(report.values("X-Auth-Uid") == (isKnown ? ["ada"] : []), sourceLocation: sourceLocation)
        #expect(report.values("X-Role") == (isKnown ? ["admin"] : []), sourceLocation: sourceLocation)
        #expect(report.values("X-Auth").count == (isKnown ? 1 : 0), sourceLocation: sourceLocation)
        #expect(report.values("X-Auth-Time").count == (isKnown ? 1 : 0), sourceLocation: sourceLocation)
        #expect(report.values("X-Forwarded-For") == ["127.0.0.1"], sourceLocation: sourceLocation)
        #expect(report.values("X-Forwarded-Proto") == ["http"], sourceLocation: sourceLocation)
        #expect(report.values("X-Forwarded-Host") == ["gateway.example"], sourceLocation: sourceLocation)
        #expect(report.values("X-Forwarded-Port") == [], sourceLocation: sourceLocation)
        let forwarded = "for=127.0.0.1;proto=http;host=\"gateway.example\""
        #expect(report.values("Forwarded") == [forwarded], sourceLocation: sourceLocation)
        #expect(report.values("Host") == ["gateway.example"], sourceLocation: sourceLocation)
        #expect(report.values("X-Request-Id").count == 1, sourceLocation: sourceLocation)
    }
}

/// Fields that the configuration removes in addition.
struct RemovedFieldTests {
    @Test func `A-03: a configured field is removed in every spelling, from requests, trailers and upgrades`()
        async throws
    {
        let headers = "{ extra: { X-Role: token.role }, remove_inbound: [CF-*, Remote-User] }"
        try await Scenario.run(arrange: { $2["headers"] = headers }) { scenario in
            let names = ["CF-Connecting-IP", "cf_ray", "Cf.Visitor", "Remote-User", "REMOTE_USER", "remote.user"]
            let fields = names.map { "\($0): spoofed" }
            for target in ["/public/x", "/optional/x"] {
                var request = WireRequest.get(target, "X-Kept: 1", "Connection: upgrade", "Upgrade: websocket")
                request.fields += fields
                let report = try scenario.passes(request)
                #expect(report["X-Kept"] == "1" && report.lines.filter { $0.contains("spoofed") } == [])
            }
            let client = try scenario.client(
                sending:
                    "POST /public/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: \(names.joined(separator: ","))\r\n\r\n"
                    + "0\r\n\(fields.joined(separator: "\r\n"))\r\n\r\n")
            let report = try #require(EchoReport(try client.response()))
            #expect(report.trailers.isEmpty && report["Trailer"] == nil)
        }
    }
}
