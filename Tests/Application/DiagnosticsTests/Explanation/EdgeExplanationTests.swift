import Diagnostics
import GatewayConfiguration
import GatewayCore
import Testing

/// `explain` of upgrades and of endpoints of the gateway.
@Suite struct EdgeExplanationTests {
    private typealias Fields = [(name: String, value: String)]

    private static let origin = "https://app.example"

    private func explain(
        _ method: String, _ path: String, cookie: Bool = false, with fields: Fields = [],
        _ change: (inout Configuration) -> Void = { _ in }
    ) async throws -> Explanation {
        var configuration = Given.configuration([
            Given.route("/ws") { $0.upgrade = ["websocket"] },
            Given.route("/app/ws") {
                $0.upgrade = ["websocket"]
                $0.cors = Configuration.CORS(origins: [Self.origin])
                $0.cors?.credentials = true
            },
            Given.route("/**"),
        ])
        configuration.accounts = Configuration.Accounts()
        configuration.store = .sqliteMemory
        change(&configuration)
        var request = ExplainedRequest(method: method, url: "http://api.example\(path)", fields: fields)
        if cookie { request.sessionCookie = try Given.sessionCookie() }
        return try await Given.explainer(configuration).explain(request)
    }

    private func handshake(_ changes: Fields = []) -> Fields {
        [
            ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
            ("Sec-WebSocket-Version", "13"),
        ] + changes
    }

    @Test func `the site of a handshake with a cookie is checked although it is a GET`() async throws {
        let foreign = handshake([("Origin", "https://evil.example")])
        let explanation = try await explain("GET", "/ws", cookie: true, with: foreign)
        #expect(explanation.code == .crossSite && explanation.failures == ["site"])
        // Without the upgrade, the request only reads.
        #expect(try await explain("GET", "/other", cookie: true, with: foreign).code == .ok)
        #expect(try await explain("GET", "/ws", cookie: true, with: [("Origin", "https://evil.example")]).code == .ok)
    }

    @Test func `a listed origin may open a tunnel`() async throws {
        let fields = handshake([("Origin", Self.origin), ("Sec-Fetch-Site", "cross-site")])
        let explanation = try await explain("GET", "/app/ws", cookie: true, with: fields)
        #expect(explanation.code == .ok && explanation.step("site")?.mark == .passed)
        #expect(explanation.step("upgrade")?.detail.hasPrefix("to websocket") == true)
    }

    @Test func `an invalid handshake is denied before its site is checked`() async throws {
        let fields = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Origin", "https://evil.example")]
        let explanation = try await explain("GET", "/ws", cookie: true, with: fields)
        #expect(explanation.code == .malformedRequest && explanation.failures == ["upgrade"])
        #expect(explanation.step("upgrade")?.detail == "no handshake (websocket: the key)")
    }

    @Test func `a body that is too long is denied before its site is checked`() async throws {
        let fields: Fields = [("Content-Length", "1025"), ("Origin", "https://evil.example")]
        let explanation = try await explain("POST", "/other", cookie: true, with: fields) {
            $0.routes[2].bodySize = 1024
        }
        #expect(explanation.code == .requestTooLarge && explanation.failures == ["body"])
        let call = try await explain("POST", "/.gatehouse/sign-in", with: [("Content-Length", "1000000")])
        #expect(call.code == .requestTooLarge)
    }

    @Test func `an account call accepts a listed origin in any case`() async throws {
        let fields: Fields = [("Origin", "https://APP.example"), ("Sec-Fetch-Site", "cross-site")]
        let listed = try await explain("POST", "/.gatehouse/sign-in", with: fields) {
            $0.accounts?.origins = [Self.origin]
        }
        #expect(listed.code == nil && listed.step("site")?.mark == .passed)
        #expect(try await explain("POST", "/.gatehouse/sign-in", with: fields).code == .crossSite)
    }

    @Test func `an upgrade that the route does not list is removed with a note`() async throws {
        let explanation = try await explain("GET", "/other", cookie: true, with: handshake())
        #expect(explanation.code == .ok && explanation.step("upgrade")?.mark == .note)
        #expect(try await explain("GET", "/other", cookie: true).step("upgrade") == nil)
    }

    private func preflight(_ origin: String, of method: String = "DELETE") -> Fields {
        [
            ("Origin", origin), ("Access-Control-Request-Method", method),
            ("Access-Control-Request-Headers", "authorization"),
        ]
    }

    @Test func `the response to a preflight comes from the configuration`() async throws {
        let explanation = try await explain("OPTIONS", "/app/ws", with: preflight(Self.origin))
        let response = try #require(explanation.response)
        #expect(response.status == 204 && explanation.step("credential") == nil)
        #expect(response.fields.contains("Access-Control-Allow-Origin: \(Self.origin)"))
        #expect(response.fields.contains("Access-Control-Allow-Methods: DELETE"))
        #expect(response.fields.contains("Access-Control-Allow-Headers: authorization"))
    }

    @Test func `a preflight of an unlisted origin is denied`() async throws {
        let explanation = try await explain("OPTIONS", "/app/ws", with: preflight("https://evil.example"))
        #expect(explanation.code == .crossSite && explanation.failures == ["cors"])
        #expect(explanation.refusal?.detail == "The CORS policy does not allow this origin.")
    }

    @Test func `a preflight of an account call gets a response too`() async throws {
        let listed = try await explain("OPTIONS", "/.gatehouse/sign-in", with: preflight(Self.origin, of: "POST")) {
            $0.accounts?.origins = [Self.origin]
        }
        let response = try #require(listed.response)
        #expect(response.status == 204)
    }

    @Test func `the sign-in page and its files are endpoints of the gateway`() async throws {
        func explain(_ method: String, _ path: String) async throws -> Explanation {
            try await self.explain(method, path) { configuration in
                var provider = Configuration.Provider(id: "github.com", kind: .github, location: .init(origin: "test"))
                provider.codeFlow = Configuration.CodeFlow(
                    clientID: "gw", credential: .secret(Secret("secret")),
                    endpoints: .urls(authorization: "https://a.example/authorize", token: "https://a.example/token"),
                    scopes: [])
                configuration.identity.providers.append(provider)
                configuration.accounts?.publicURL = "https://api.example"
                configuration.accounts?.page = Configuration.Accounts.Page()
            }
        }
        for path in ["/.gatehouse/", "/.gatehouse/assets/page.css"] {
            let explanation = try await explain("GET", path)
            #expect(explanation.response?.status == 200 && explanation.failures.isEmpty, "\(path)")
            #expect(try await explain("POST", path).code == .methodNotAllowed)
            #expect(try await self.explain("GET", path, cookie: true).code == .routeNotFound, "\(path) without pages")
        }
    }

    @Test func `the published keys are an endpoint of the gateway`() async throws {
        let explanation = try await explain("GET", "/.gatehouse/jwks.json")
        let response = try #require(explanation.response)
        #expect(response.status == 200 && explanation.failures.isEmpty)
        #expect(explanation.step("store")?.mark == .note)
        #expect(try await explain("POST", "/.gatehouse/jwks.json").code == .methodNotAllowed)
        // Without accounts and assertions no keys are published, and the path is never forwarded.
        let without = try await explain("GET", "/.gatehouse/jwks.json", cookie: true) { $0.accounts = nil }
        #expect(without.code == .routeNotFound)
    }
}
