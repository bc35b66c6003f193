import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// `gatehouse init`, and the configuration that it writes.
struct InitCommandTests {
    @Test func `the written file passes check without warnings, and the next commands are printed`() async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun.run("init", "--firebase-project", "demo-gatehouse", in: folder)
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(
            run.output == """
                gatehouse.yaml is written.

                Next:
                  gatehouse check --online --config gatehouse.yaml
                  gatehouse serve --config gatehouse.yaml

                """)
        let comments = folder.read("gatehouse.yaml").split(separator: "\n").filter { $0.hasPrefix("# ") }
        #expect(comments.count > 5 && comments.contains { $0.contains("GATEHOUSE_ADMIN_TOKEN") })
        for environment in [[:], ["GATEHOUSE_ADMIN_TOKEN": "0123456789abcdef"]] {
            let check = try await CommandRun.run(
                "check", "--config", "gatehouse.yaml", environment: environment, in: folder)
            #expect(check.exitCode == 0 && check.errors == "", "\(check.errors)")
        }
    }

    @Test func `an existing file is replaced only with --force`() async throws {
        let folder = try ScratchFolder()
        try folder.write("mine", to: "gatehouse.yaml")
        let refused = try await CommandRun.run("init", in: folder)
        #expect(refused.exitCode == 1 && refused.errors.contains("gatehouse.yaml exists"))
        #expect(folder.read("gatehouse.yaml") == "mine")
        let forced = try await CommandRun.run("init", "--force", in: folder)
        #expect(forced.exitCode == 0 && forced.output.contains("Replace my-app in it"), "\(forced.errors)")
        #expect(folder.read("gatehouse.yaml").contains("project: 'my-app'"))
    }

    @Test(arguments: [
        ["--upstream", "localhost:3000"], ["--firebase-project", "a b"], ["--config", "absent/a.yaml"],
    ])
    func `an invalid option is reported, and nothing is written`(arguments: [String]) async throws {
        let folder = try ScratchFolder()
        let run = try await CommandRun.run(["init"] + arguments, in: folder)
        #expect(run.exitCode == 1 && run.errors.contains(arguments[0]), "\(run.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { $0.contains("-") })
    }

    /// The comments of the file: /health is public, every other path needs a token, and the admin commands use the
    /// token of the environment.
    @Test func `the written configuration does what its comments say`() async throws {
        try await OwnThread.run {
            let provider = try await DevelopmentProvider.start()
            let echo = try await EchoUpstream.start()
            let folder = try ScratchFolder()
            let run = try await CommandRun.run(
                "init", "--firebase-project", provider.project, "--upstream", echo.url, in: folder)
            #expect(run.exitCode == 0, "\(run.errors)")
            let admin = try Ports.free()
            let environment = ["GATEHOUSE_ADMIN_TOKEN": "0123456789abcdef"]
            let gateway = try GatewayProcess(
                arguments: [
                    "--config", folder.path("gatehouse.yaml"), "--listen", "127.0.0.1:0", "--admin",
                    "127.0.0.1:\(admin)", "--keys-url", provider.url(.idTokenJWKSet), "--session-keys-url",
                    provider.url(.sessionX509),
                ], environment: environment)
            try await gateway.start()
            #expect(try RawClient.exchange(gateway.port, .get("/health")).status == 200)
            expectDenial(
                try RawClient.exchange(gateway.port, .get("/x")), 401, "auth/missing-credential", challenge: "Bearer")
            let token = try provider.sign(provider.idToken(for: .ada))
            let passed = try RawClient.exchange(gateway.port, .bearer(token, "/x"))
            #expect(EchoReport(passed)?["X-Auth-Uid"] == "ada", "\(passed.text)")
            try folder.write(
                folder.read("gatehouse.yaml").replacing("127.0.0.1:9901", with: "127.0.0.1:\(admin)"), to: "client.yaml"
            )
            let disabled = try await CommandRun.run(
                "user", "disable", "ada", "--config", "client.yaml", environment: environment, in: folder)
            #expect(disabled.exitCode == 0, "\(disabled.errors)")
            #expect(try RawClient.exchange(gateway.port, .bearer(token, "/x")).status == 401)
            #expect(FileManager.default.fileExists(atPath: folder.path("gatehouse.db")))
            await gateway.kill()
            await echo.stop()
            await provider.stop()
        }
    }
}
