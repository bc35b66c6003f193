import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The other commands, tested from outside: exit codes and output.
struct CommandLineTests {
    @Test(arguments: [
        ["serve", "--unknown"], ["unknown"], ["serve", "--firebase-project", "p"], ["check", "--config"],
        ["serve", "--config", "x", "--firebase-project", "p", "--upstream", "http://127.0.0.1:1"], ["revoke"],
    ])
    func `wrong usage exits with 64`(arguments: [String]) async throws {
        let run = try await CommandRun.run(arguments, in: ScratchFolder())
        #expect(run.exitCode == 64 && run.errors.contains("Usage:"))
    }

    @Test func `an address in use is reported`() async throws {
        let taken = try await EchoUpstream.start()
        let run = try await CommandRun.run(
            "serve", "--firebase-project", "demo-gatehouse", "--upstream", taken.url, "--listen",
            "127.0.0.1:\(taken.port)", in: ScratchFolder())
        await taken.stop()
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("127.0.0.1:\(taken.port)"))
    }

    @Test(arguments: [
        "init", "serve", "check", "status", "healthcheck", "reload", "explain", "token inspect", "token mint",
        "user show", "user disable", "user enable", "user revoke", "user unrevoke", "session revoke", "revoke", "demo",
        "account show", "account delete", "account unlink",
        "rules test", "completion bash",
    ])
    func `help shows an example`(command: String) async throws {
        let arguments = command.split(separator: " ").map(String.init) + ["--help"]
        let run = try await CommandRun.run(arguments, in: ScratchFolder())
        #expect(run.exitCode == 0 && run.output.contains("gatehouse \(command)"))
    }

    @Test func `revoke uses the admin API`() async throws {
        try await Scenario.run { scenario in
            let token = try scenario.token(.named("by-command")) { $0.signedIn(at: unixNow() - 100) }
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 200)
            let run = try await CommandRun.admin(["revoke", "by-command"], at: scenario.gateway)
            #expect(run.exitCode == 0, "\(run.errors)")
            expectDenial(try scenario.send(.bearer(token, "/me/x")), 401, "auth/id-token-revoked")
        }
    }

    @Test func `revoke names a tenant's user`() async throws {
        try await Scenario.run(arrange: {
            $2["identity"] = $2["identity"]?.replacing("{ project:", with: "{ tenant: '*', project:")
        }) { scenario in
            let tokens = try ["acme-x1", "globex-y2"].map { tenant in
                try scenario.token(.named("alice")) { $0.inTenant(tenant).signedIn(at: unixNow() - 100) }
            }
            let run = try await CommandRun.admin(
                ["revoke", "alice", "--tenant", "acme-x1"], at: scenario.gateway)
            #expect(run.exitCode == 0 && run.output.contains("alice of the tenant acme-x1"), "\(run.errors)")
            expectDenial(try scenario.send(.bearer(tokens[0], "/me/x")), 401, "auth/id-token-revoked")
            #expect(try scenario.send(.bearer(tokens[1], "/me/x")).status == 200)
        }
    }

    @Test func `explain shows the responses of the gateway itself`() async throws {
        let folder = try ScratchFolder()
        let cors = "    cors: { origins: ['https://app.example'] }\n"
        try folder.write(CheckTests.valid + cors, to: "pages.yaml")
        for (origin, exitCode, verdict) in [
            ("https://app.example", 0, "ANSWERED with 204 by the gateway itself"),
            ("https://evil.example", 1, "REFUSED with 403"),
        ] {
            let run = try await CommandRun.run(
                "explain", "OPTIONS", "/v1/notes", "--config", "pages.yaml", "--no-fetch",
                "--header", "Origin: \(origin)", "--header", "Access-Control-Request-Method: GET", in: folder)
            #expect(run.exitCode == exitCode && run.output.contains(verdict), "\(run.output)\(run.errors)")
        }
    }

    @Test func `revoke fails without a running gateway`() async throws {
        let folder = try ScratchFolder()
        try folder.write(
            "admin: { address: 127.0.0.1:1, token: 0123456789abcdef }\n" + CheckTests.valid, to: "client.yaml")
        let run = try await CommandRun.run("revoke", "ada", "--config", "client.yaml", in: folder)
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("127.0.0.1:1"))
        #expect(!run.errors.contains("0123456789abcdef"))
    }
}
