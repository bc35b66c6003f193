import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// Unsigned tokens with `insecure_emulator`.
struct EmulatorTests {
    @Test func `D-20: unsigned tokens are accepted only in emulator mode, which is logged`() async throws {
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["identity"] = "{ firebase: { project: demo-gatehouse, insecure_emulator: true } }"
        }) { scenario in
            let token = scenario.provider.idToken(for: .ada)
            let report = try scenario.passes(.bearer(token.unsigned(), "/me/x"))
            #expect(report["X-Auth-Uid"] == "ada")
            expectDenial(
                try scenario.send(.bearer(token.setting("aud", to: "other").unsigned(), "/me/x")), 401,
                "auth/invalid-id-token")
            try await scenario.gateway.untilLogged("insecure_emulator")
        }
    }

    @Test func `D-20: emulator mode rejects a public listener`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            CheckTests.valid.replacing(
                "project: demo-gatehouse", with: "project: demo-gatehouse, insecure_emulator: true")
                + "listen: [{ address: 0.0.0.0:0 }]\n", to: "public.yaml")
        let run = try await CommandRun.run("serve", "--config", "public.yaml", in: folder)
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("insecure_emulator"))
    }

    @Test func `D-20: the variable of the emulator does not start a gateway of a real project`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            CheckTests.valid.replacing("project: demo-gatehouse", with: "project: my-app"), to: "real.yaml")
        let environment = ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"]
        let run = try await CommandRun.run("serve", "--config", "real.yaml", environment: environment, in: folder)
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("'my-app' is not a demo-* project"))
    }

    @Test func `the variables configure a gateway beside the emulator`() async throws {
        let emulator = try await FakeEmulator()
        try await Scenario.run(arrange: { _, _, configuration in
            configuration["identity"] = "{ firebase: { project: demo-gatehouse, insecure_emulator_on: any } }"
            configuration["listen"] = "[{ address: 0.0.0.0:0 }]"
            configuration["revocation"] = "{ source: firebase }"
            configuration.environment = [
                "FIREBASE_AUTH_EMULATOR_HOST": emulator.host, "GOOGLE_CLOUD_PROJECT": "demo-gatehouse",
            ]
        }) { scenario in
            let passed = try scenario.send(.bearer(scenario.provider.idToken(for: .ada).unsigned(), "/me/x"))
            #expect(passed.status == 200, "\(passed.text)")
            expectDenial(
                try scenario.send(.bearer(scenario.provider.idToken(for: .linus).unsigned(), "/me/x")), 401,
                "auth/user-disabled")
            expectDenial(
                try scenario.send(.bearer(scenario.token(), "/me/x")), 401, "auth/invalid-id-token")
            for warning in ["FIREBASE_AUTH_EMULATOR_HOST is '\(emulator.host)'", "insecure_emulator_on"] {
                try await scenario.gateway.untilLogged(warning)
            }
            #expect(try scenario.metric("gatehouse_google_token_valid") == 1)
            #expect(try scenario.gateway.readiness().text.contains("google"))
        }
        #expect(emulator.refused == 0)
        try await emulator.close()
    }
}

/// The `accounts:lookup` of the Auth emulator: only the owner's token, and the state of one project. Every user exists,
/// and linus is disabled.
private struct FakeEmulator {
    private static let path = "/identitytoolkit.googleapis.com/v1/projects/demo-gatehouse/accounts:lookup"
    private let source: MisbehavingSource

    init() async throws {
        source = try await MisbehavingSource { request in
            guard Self.isAuthorized(request.head) else {
                return .send(httpAnswer(status: "401 Unauthorized", Array(#"{"error":{"code":401}}"#.utf8)))
            }
            let users = ["ada", "linus"].filter { request.body.contains("\"\($0)\"") }.map {
                #"{"localId":"\#($0)","validSince":"0","disabled":\#($0 == "linus")}"#
            }
            return .send(httpAnswer(Array("{\"users\":[\(users.joined(separator: ","))]}".utf8)))
        }
    }

    private static func isAuthorized(_ head: String) -> Bool {
        head.hasPrefix("POST \(path) ") && head.lowercased().contains("authorization: bearer owner\r\n")
    }

    /// HOST:PORT, as in the variable.
    var host: String { String(source.url.dropFirst("http://".count).prefix { $0 != "/" }) }

    /// The number of requests that the emulator would refuse.
    var refused: Int { source.requests.count { !Self.isAuthorized($0.head) } }

    func close() async throws { try await source.close() }
}
