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
            #expect(scenario.gateway.errors.contains("insecure_emulator"))
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
}
