import Authentication
import GatewayConfiguration
import GatewayCore
import Revocation
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import GatewayFixtures
@testable import SystemFixtures

/// The phase that denies a request is counted. Requests that are permitted are not counted.
@Suite struct DenialPhaseTests {
    private static let token = TokenDraft.idToken().signed()

    private func rig(_ adjust: (inout Configuration.Route) -> Void = { _ in }) throws -> RequestPathRig {
        let rig = try RequestPathRig { configuration in
            configuration.trustedProxies.networks = ["127.0.0.1/32"]
            configuration.routes[1].methods = ["GET", "POST"]
            configuration.routes[1].bodySize = 10
            adjust(&configuration.routes[1])
        }
        try rig.installKeys()
        return rig
    }

    private func phases(_ rig: RequestPathRig) throws -> [DecisionPhase] {
        let counters = try rig.onWorker { $0.counters.snapshot() }
        return DecisionPhase.allCases.filter { counters.denials(in: $0) > 0 }
    }

    private func send(_ rig: RequestPathRig, _ line: String, _ fields: [String] = []) throws -> Int {
        let client = try rig.send("\(line) HTTP/1.1\r\n\((["Host: a"] + fields).map { "\($0)\r\n" }.joined())\r\n")
        return try client.readMessage().status
    }

    @Test(arguments: [
        ("GET /private/x", ["X-Forwarded-For: nowhere"], 400, DecisionPhase.origin),
        ("TRACE /private/x", [], 405, .builtin),
        ("GET /private/%00", [], 400, .route),
        ("DELETE /private/x", [], 405, .route),
        ("POST /private/x", ["Content-Length: 11"], 413, .limits),
        ("GET /private/x", ["Authorization: Basic eDp5"], 401, .authenticate),
        ("GET /private/x", [], 401, .authenticate),
        ("GET /private/x", ["Authorization: Bearer a.b.c"], 401, .authenticate),
    ])
    func `a request is denied in its phase`(
        _ line: String, _ fields: [String], _ status: Int, _ phase: DecisionPhase
    ) throws {
        let rig = try rig()
        #expect(try send(rig, line, fields) == status)
        #expect(try phases(rig) == [phase])
    }

    @Test func `a disabled user is denied in the phase of revocations`() throws {
        let rig = try rig()
        let principal = try TokenDraft.idToken().principal()
        rig.view.setUser(principal.userKey, to: RecordWord(UserRecord(disabled: true)))
        #expect(try send(rig, "GET /private/x", ["Authorization: Bearer \(Self.token)"]) == 401)
        #expect(try phases(rig) == [.revocation])
    }

    @Test func `the policy of the route denies in its phases`() throws {
        let cases: [(DecisionPhase, (inout Configuration.Route) -> Void)] = [
            (.provider, { $0.providers = ["apple.com"] }), (.recency, { $0.recentSignIn = .seconds(0) }),
            (.secondFactor, { $0.secondFactor = true }),
        ]
        for (phase, adjust) in cases {
            let rig = try rig(adjust)
            #expect(try send(rig, "GET /private/x", ["Authorization: Bearer \(Self.token)"]) >= 401)
            #expect(try phases(rig) == [phase])
        }
    }

    @Test func `a permitted request is counted in no phase`() throws {
        let rig = try rig()
        let (client, server) = try rig.exchange(
            "GET /private/x HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(Self.token)\r\n\r\n")
        try server.send(.okResponse)
        #expect(try client.readMessage().status == 200)
        #expect(try phases(rig).isEmpty)
    }

    @Test func `the phases run in the order of the manual`() {
        let names = DecisionPhase.allCases.map { "\($0.name)" }
        #expect(
            names == [
                "origin", "builtin", "route", "limits", "credential", "upgrade", "cross_site", "authenticate",
                "user_limits", "app_check", "revocation", "account", "provider", "scopes", "recency", "second_factor",
                "rules",
            ])
        #expect(DecisionPhase.allCases.compactMap(\.next) == Array(DecisionPhase.allCases.dropFirst()))
    }
}
