import DevelopmentIdentity
import Foundation
import JOSE
import Testing

@testable import RedisFixtures
@testable import SystemFixtures

/// Whole flows of an app: the system browser, the development provider, and the app's own connection to two gateways.
struct AppFlowRunTests {
    private static let url = "com.example.app:/callback"
    // RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    @Test func `O-30: an app signs in, links and proves a sign-in by codes, each once on two gateways`() async throws {
        let redis = try await RedisServer()
        let folder = try ScratchFolder()
        let key = folder.path("session.pem")
        try Data(SigningKey.generate(.es256, keyID: "").pem()).write(to: URL(fileURLWithPath: key))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
        let more = ", session_key: '\(key)', apps: ['\(Self.url)', 'http://127.0.0.1/callback']"
        try await Fleet.run(2, store: redis.store, arrangeWith: { $1.offerFlows($0, more: more) }) { fleet in
            var app = AccountApp(fleet.gateways[1])
            let code = try Self.code(of: fleet, "google.com", as: "ada")
            let signedIn = try Self.redeem(code, "sign-in", by: &app)
            #expect(signedIn.status == 200 && signedIn["Cache-Control"] == "no-store", "\(signedIn.text)")
            let session = try #require(app.session)
            let report = EchoReport(try fleet.first.send(.cookie(session, "/me/x")))
            #expect(report?["X-Auth-Provider"] == "google.com", "the session counts at each gateway")
            #expect(try Self.redeem(code, "sign-in", by: &app).status == 400, "once")

            let link = try Self.code(of: fleet, "github.com", as: "linus", purpose: "link")
            var stranger = AccountApp(fleet.first)
            #expect(try Self.redeem(link, "link", by: &stranger).status == 401, "without a session")
            let linked = try Self.redeem(link, "link", by: &app)
            #expect(linked.status == 200 && linked.text.contains("github.com"), "\(linked.text)")

            let proof = try Self.code(of: fleet, "github.com", as: "linus", purpose: "reauthenticate")
            let proven = try Self.redeem(proof, "reauthenticate", by: &app)
            #expect(proven.status == 200 && proven.json?["signed_in_at"] != nil, "\(proven.text)")
            try Self.race(fleet)
        }
        withExtendedLifetime(folder) {}
    }

    @Test func `a desktop app receives the end of a flow at a port of its own`() async throws {
        try await Scenario.run(arrange: { provider, _, configuration in
            configuration.offerFlows(provider, more: ", apps: 'http://127.0.0.1/callback'")
        }) { scenario in
            var browser = FlowBrowser([scenario])
            let query = "http://127.0.0.1:49152/callback&code_challenge=\(Self.challenge)"
            let cancelled = try browser.signIn("google.com", as: "-", returnTo: "\(query)&code_challenge_method=S256")
            #expect(cancelled["Location"] == "http://127.0.0.1:49152/callback?error=cancelled", "\(cancelled.text)")
            let plain = "\(FlowBrowser.origin)/.gatehouse/sign-in/google.com?return_to=\(query)"
            #expect(try browser.send(plain).status == 400, "without the method S256")
        }
    }

    /// One code, presented by many calls to both gateways at once.
    private static func race(_ fleet: Fleet) throws {
        let code = try code(of: fleet, "google.com", as: "ada")
        let body = Array(members(code).text.utf8)
        let request = WireRequest.post("/.gatehouse/sign-in", "Content-Type: application/json", body: body)
        let clients = try (0..<20).map { try fleet.gateways[$0 % 2].client(sending: request) }
        let statuses = try clients.map { try $0.response(to: "POST").status }
        #expect(statuses.count { $0 == 200 } == 1 && statuses.count { $0 == 400 } == 19, "\(statuses)")
    }

    /// Runs a flow in a browser, and returns the code that the system passes to the app.
    private static func code(
        of fleet: Fleet, _ provider: String, as user: String, purpose: String = "sign-in"
    ) throws -> String {
        var browser = FlowBrowser(fleet.gateways)
        let query = "\(url)&code_challenge=\(challenge)&code_challenge_method=S256&purpose=\(purpose)"
        let last = try browser.signIn(provider, as: user, returnTo: query)
        let location = try #require(last["Location"], "\(last.text)")
        #expect(last.status == 303 && location.hasPrefix("\(url)?code="), "\(location)")
        #expect(browser.session == nil && last["Set-Cookie"] == nil, "the browser gets no session")
        return String(location.dropFirst("\(url)?code=".count))
    }

    private static func members(_ code: String) -> JSON {
        ["code": .string(code), "code_verifier": .string(verifier)]
    }

    private static func redeem(_ code: String, _ name: String, by app: inout AccountApp) throws -> WireResponse {
        try app.call(name, members(code))
    }
}
