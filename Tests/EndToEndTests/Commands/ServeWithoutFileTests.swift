import DevelopmentIdentity
import Foundation
import Testing

// Part of the suite of the demo, because both use the same port for the admin listener.
extension DemoTests {
    /// `gatehouse serve` without a file.
    @Suite struct ServeWithoutFileTests {
        /// Runs a gateway with only options and expects that every path needs a token.
        private func serve(
            _ arguments: (DevelopmentProvider) -> [String], environment: (DevelopmentProvider) -> [String: String]
        ) async throws {
            try await OwnThread.run {
                let provider = try await DevelopmentProvider.start()
                let echo = try await EchoUpstream.start()
                let options = [
                    "--firebase-project", provider.project, "--upstream", echo.url, "--listen", "127.0.0.1:0",
                ]
                let gateway = try GatewayProcess(
                    arguments: options + arguments(provider), environment: environment(provider))
                try await startIfThePortIsFree(gateway)
                let token = try provider.sign(provider.idToken(for: .ada))
                let passed = try RawClient.exchange(gateway.port, .bearer(token, "/any/path"))
                #expect(EchoReport(passed)?["X-Auth-Uid"] == "ada", "\(passed.text)")
                let refused = try RawClient.exchange(gateway.port, .get("/any/path"))
                expectDenial(refused, 401, "auth/missing-credential", challenge: "Bearer")
                await gateway.kill()
                await echo.stop()
                await provider.stop()
            }
        }

        /// Cancels the test if another process uses the port of the admin listener.
        private func startIfThePortIsFree(_ gateway: GatewayProcess) async throws {
            do { return try await gateway.start() } catch  where "\(error)".contains("127.0.0.1:9901") {
                try Test.cancel("127.0.0.1:9901 is in use by another process")
            }
        }

        @Test func `SIGHUP drains a gateway without a configuration file`() async throws {
            let gateway = try GatewayProcess(
                arguments: [
                    "--firebase-project", "demo-gatehouse", "--upstream", "http://127.0.0.1:1", "--listen",
                    "127.0.0.1:0",
                ], environment: [:])
            try await startIfThePortIsFree(gateway)
            gateway.signal(SIGHUP)
            #expect(await gateway.exitCode() == 0)
            try await gateway.untilLogged("msg=draining")
        }

        @Test func `project and emulator can be environment variables`() async throws {
            try await OwnThread.run {
                let provider = try await DevelopmentProvider.start()
                let echo = try await EchoUpstream.start()
                let gateway = try GatewayProcess(
                    arguments: ["--upstream", echo.url, "--listen", "127.0.0.1:0"],
                    environment: [
                        "FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099", "GOOGLE_CLOUD_PROJECT": provider.project,
                    ])
                try await startIfThePortIsFree(gateway)
                let token = provider.idToken(for: .ada)
                let passed = try RawClient.exchange(gateway.port, .bearer(token.unsigned(), "/any/path"))
                #expect(EchoReport(passed)?["X-Auth-Uid"] == "ada", "\(passed.text)")
                let signed = try RawClient.exchange(gateway.port, .bearer(try provider.sign(token), "/any/path"))
                expectDenial(signed, 401, "auth/invalid-id-token")
                try await gateway.untilLogged("FIREBASE_AUTH_EMULATOR_HOST")
                await gateway.kill()
                await echo.stop()
                await provider.stop()
            }
        }

        @Test func `the key URLs can be options`() async throws {
            try await serve(
                { ["--keys-url", $0.url(.idTokenJWKSet), "--session-keys-url", $0.url(.sessionX509)] },
                environment: { _ in [:] })
        }

        @Test func `the key URLs can be environment variables`() async throws {
            try await serve({ _ in [] }) {
                [
                    "GATEHOUSE_FIREBASE_KEYS_URL": $0.url(.idTokenJWKSet),
                    "GATEHOUSE_FIREBASE_SESSION_KEYS_URL": $0.url(.sessionX509),
                ]
            }
        }
    }
}
