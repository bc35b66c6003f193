import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The ways by which a request reaches the upstream.
enum Passage: CaseIterable, Sendable {
    case signedIn, cookie, optionalSignedIn, optionalAnonymous, publicAnonymous, publicSignedIn, preflight

    /// The method and target; the credential's field line.
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

/// Each field that only the gateway may write, in each spelling that somebody behind it could take for it, on each way through.
@Suite(.sharedScenario) struct SpoofingFamilyTests {
    let scenario: Scenario

    init() throws { scenario = try Scenario.current }

    static let managed: [String] = [
        "A-01 X-Auth-Uid", "A-01 X-Auth", "A-01 X-Auth-Provider", "A-01 X-Auth-Time", "A-01 X-Auth-Email",
        "A-01 X-Auth-Email-Verified", "A-01 X-Auth-Tenant", "A-21 X-Auth-Assertion", "A-06 X-Role",
        "A-05 X-Forwarded-For", "A-05 X-Forwarded-Proto", "A-05 X-Forwarded-Prefix", "A-05 X-Forwarded-Server",
        "A-05 X-Forwarded-Client-Cert", "A-20 X-Forwarded-Port", "A-12 X-Real-IP", "A-12 True-Client-IP",
        "A-12 Forwarded", "A-10 X-Forwarded-Host", "A-10 X-Forwarded-Uri", "A-10 X-Forwarded-Method",
        "A-10 X-Original-URL", "A-10 X-Original-URI", "A-10 X-Original-Method", "A-10 X-Rewrite-URL",
        "A-10 X-Envoy-Original-Path", "A-10 X-Envoy-Original-Host", "A-10 X-HTTP-Method-Override",
        "A-10 X-HTTP-Method", "A-10 X-Method-Override",
    ]

    /// How a name can be spelled so that a CGI variable, a framework or a careless proxy reads it as the same.
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

    /// Each of our fields once, with the value that we give it; none of identity where nobody was identified.
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
        #expect(report.values("Forwarded").count == 1, sourceLocation: sourceLocation)
        #expect(report.values("X-Request-Id").count == 1, sourceLocation: sourceLocation)
    }
}
