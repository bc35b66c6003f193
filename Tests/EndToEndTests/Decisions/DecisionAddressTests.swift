import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The listener for decisions with TLS and at a Unix socket, and App Check.
struct DecisionAddressTests {
    private static func question(_ fields: [String] = []) -> [String] {
        let request = DecisionRequest.of("forward", "/a", fields)
        return request.fields.flatMap { ["-H", $0] }
    }

    @Test(arguments: ["--http1.1", "--http2"])
    func `J-11: with TLS, a proxy needs a certificate of the authority`(_ option: String) async throws {
        let authority = try TestAuthority()
        let tls = "certificate: '\(authority.certificate)', private_key: '\(authority.key)'"
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["decisions"] = """
                { address: 127.0.0.1:0, trust: [127.0.0.1/32],
                  tls: { \(tls), client_ca: '\(authority.authority)' } }
                """
            configuration.routes = ["path: /**"]
        }) { scenario in
            let port = try scenario.gateway.decisionsPort
            func ask(_ more: [String]) async throws -> SecureCall.Result {
                try await SecureCall.curl(
                    [option] + more, "https://localhost:PORT/authz/forward", port: port, authority: authority.authority)
            }
            let identity = ["--cert", authority.clientCertificate, "--key", authority.clientKey]
            let bearer = "Authorization: Bearer \(try scenario.token())"
            let permitted = try await ask(identity + Self.question([bearer]))
            #expect(permitted.status == 200, "\(permitted.output)")
            #expect(permitted.output.lowercased().contains("x-auth-uid: ada"), "\(permitted.output)")
            #expect(try await ask(identity + Self.question()).status == 401)
            // Without a certificate there is no response at all.
            #expect(try await ask(Self.question([bearer])).status == nil)
        }
    }

    @Test(arguments: [("[unix]", true), ("[127.0.0.1/32]", false)])
    func `J-11: a Unix socket is trusted by its own entry only`(_ trust: String, _ isTrusted: Bool) async throws {
        let folder = try ScratchFolder()
        let path = folder.path("decisions.sock")
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["decisions"] = "{ address: 'unix:\(path)', trust: \(trust) }"
            configuration.routes = ["path: /**"]
        }) { scenario in
            let bearer = "Authorization: Bearer \(try scenario.token())"
            for (fields, status) in [(Self.question([bearer]), 200), (Self.question(), 401)] {
                let result = try await SecureCall.run(
                    "curl", ["-sSi", "--max-time", "20", "--unix-socket", path] + fields + ["http://a/authz/forward"])
                #expect(result.status == (isTrusted ? status : nil), "\(result.output)")
            }
        }
    }

    @Test func `a reload that removes the listener closes its connections`() async throws {
        func decisions(_ host: String) -> String { "{ address: '127.0.0.\(host):0', trust: [127.0.0.0/8] }" }
        try await ReloadScenario.run(arrange: {
            $0["decisions"] = decisions("1")
            $0.routes = ["path: /**"]
        }) { reload in
            let client = try RawClient(port: try reload.gateway.decisionsPort)
            let request = DecisionRequest.of("forward", "/a")
            #expect(try client.exchange(request).status == 401)
            try await reload.reload { _ in }
            #expect(try client.exchange(request).status == 401)
            try await reload.reload { $0["decisions"] = decisions("2") }
            #expect(try client.readToEnd().isEmpty)
        }
    }

    @Test func `an app is checked for a decision, and named in its response`() async throws {
        let (number, app) = ("123456789012", "1:123456789012:web:0a1b2c3d")
        try await Scenario.run(arrange: { provider, _, configuration in
            let appCheck = """
                app_check: { project_number: \(number), apps: { '\(app)': web },
                  keys_url: '\(provider.url(.idTokenJWKSet))', api_key: key-1 }, project:
                """
            configuration["identity"] = configuration["identity"]?.replacing("{ project:", with: "{ \(appCheck)")
            configuration["decisions"] = "{ address: 127.0.0.1:0, trust: [127.0.0.1/32] }"
            configuration.routes = ["path: /**, auth: none, app_check: enforce"]
        }) { scenario in
            let now = scenario.provider.now
            let claims: JSONObject = [
                "iss": .string("https://firebaseappcheck.googleapis.com/\(number)"),
                "aud": [.string("projects/\(number)"), .string("projects/\(scenario.provider.project)")],
                "sub": .string(app), "iat": .integer(now), "exp": .integer(now + 3600),
            ]
            let token = try scenario.provider.sign(FirebaseToken(kind: .idToken, claims: claims))
            for family in DecisionRequest.families {
                let permitted = try scenario.decide(
                    family, "/a", ["X-Firebase-AppCheck: \(token)", "X-Auth-App: root"])
                #expect(permitted.status == 200 && permitted.values("X-Auth-App") == [app], "\(permitted.text)")
                for field in ["X-Nothing: a", "X-Firebase-AppCheck: \(token)x"] {
                    let denied = try scenario.decide(family, "/a", [field])
                    #expect(denied.status == 401 && denied.text.contains("app-check/"), "\(denied.text)")
                    #expect(denied["WWW-Authenticate"]?.hasPrefix("AppCheck") == true && denied["X-Auth-App"] == nil)
                }
            }
        }
    }
}
