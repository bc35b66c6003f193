import DevelopmentIdentity
import Testing

@testable import SystemFixtures

/// The commands that call the admin API of a running gateway.
struct UserCommandTests {
    @Test func `a user is disabled, enabled, revoked and unrevoked`() async throws {
        try await Scenario.run { scenario in
            let token = try scenario.token(.named("by-command")) { $0.signedIn(at: unixNow() - 100) }
            func status() throws -> Int { try scenario.send(.bearer(token, "/me/x")).status }
            func run(_ command: String) async throws -> String {
                let run = try await CommandRun.admin(["user", command, "by-command"], at: scenario.gateway)
                #expect(run.exitCode == 0, "\(run.errors)")
                return run.output
            }
            #expect(try await run("show") == "by-command: not disabled; nothing revoked\n")
            #expect(try await run("disable") == "by-command: disabled, every request is denied; nothing revoked\n")
            #expect(try status() == 401)
            #expect(try await run("enable") == "by-command: not disabled; nothing revoked\n")
            #expect(try status() == 200)
            #expect(try await run("revoke").hasPrefix("by-command: not disabled; revoked: sign-ins before "))
            #expect(try status() == 401)
            #expect(try await run("unrevoke") == "by-command: not disabled; nothing revoked\n")
            #expect(try status() == 200)
        }
    }

    @Test func `a session is revoked`() async throws {
        try await Scenario.run { scenario in
            let time = unixNow() - 100
            let token = try scenario.token(.ada) { $0.signedIn(at: time) }
            let run = try await CommandRun.admin(["session", "revoke", "ada", "\(time)"], at: scenario.gateway)
            #expect(run.output == "ada, session \(time): revoked\n", "\(run.errors)")
            #expect(try scenario.send(.bearer(token, "/me/x")).status == 401)
        }
    }

    @Test func `with --json the document of the admin API is printed`() async throws {
        try await Scenario.run { scenario in
            let changed =
                #"{"uid":"x","valid_since":7,"disabled":false,"#
                + #""write_back":{"local":true,"identity_toolkit":"off"}}"#
            for (arguments, document) in [
                (["user", "show", "x"], #"{"uid":"x","valid_since":null,"disabled":false}"#),
                (["user", "revoke", "x", "--at", "7"], changed), (["revoke", "x", "--at", "5"], changed),
                (
                    ["session", "revoke", "x", "17"],
                    #"{"uid":"x","session":"17","revoked":true,"signed_in_at":null}"#
                ),
                (["reload"], #"{"generation":2}"#),
            ] {
                let run = try await CommandRun.admin(arguments + ["--json"], at: scenario.gateway)
                #expect(run.exitCode == 0 && run.output == document + "\n", "\(run.output)\(run.errors)")
            }
        }
    }

    @Test func `a rejected or missing token is reported with a remedy`() async throws {
        try await Scenario.run { scenario in
            let refused = try await CommandRun.admin(
                ["user", "show", "x"], at: scenario.gateway, token: "another-token-0123456789")
            #expect(refused.exitCode == 1 && refused.output == "")
            #expect(refused.errors.contains("refused the token; use the admin.token"))
            #expect(!refused.errors.contains("another-token"))
            let missing = try await CommandRun.admin(["user", "show", "x"], at: scenario.gateway, token: nil)
            #expect(missing.exitCode == 1 && missing.errors.contains("admin.token is not set; set it"))
        }
    }

    @Test func `status lists each dependency, and fails when the gateway is not ready`() async throws {
        try await Scenario.run { scenario in
            let run = try await CommandRun.admin(["status"], at: scenario.gateway)
            #expect(run.exitCode == 0, "\(run.output)\(run.errors)")
            #expect(run.output.contains(/gateway +ready +127.0.0.1:[0-9]+, version [0-9.]+, configuration 1, started/))
            #expect(run.output.contains(/store +ok +sqlite, 0 users and 0 sessions/))
            #expect(run.output.contains(/keys http:\S+ +ok +[0-9]+ usable keys?, fetched/))
            #expect(run.output.contains(/upstream down +- +http:\/\/127.0.0.1:1, no health checks/))
            let json = try await CommandRun.admin(["status", "--json"], at: scenario.gateway)
            #expect(json.output.hasPrefix(#"{"version":""#) && json.output.contains(#""health_checks":false"#))
            let health = try await CommandRun.admin(["status"], at: scenario.gateway, token: nil)
            #expect(health.exitCode == 0 && health.output.contains("set admin.token"), "\(health.output)")
        }
    }

    @Test func `status of a gateway without its keys is a failure with the reason`() async throws {
        let absent = GatewayConfiguration.identity("http://127.0.0.1:1/", "http://127.0.0.1:1/")
        try await Scenario.run(waits: false, arrange: { $2["identity"] = absent }) { scenario in
            for token in [GatewayConfiguration.adminToken, nil] {
                let run = try await CommandRun.admin(["status"], at: scenario.gateway, token: token)
                #expect(run.exitCode == 1)
                #expect(run.output.contains("NOT READY") && run.output.contains("FAILED"), "\(run.output)\(run.errors)")
            }
        }
    }

    @Test func `reload prints the outcome`() async throws {
        try await ReloadScenario.run { reload in
            let good = try await CommandRun.admin(["reload"], at: reload.gateway)
            #expect(good.exitCode == 0 && good.output == "reloaded: configuration 2 is active\n", "\(good.errors)")
            try reload.write { $0.routes = ["path: /x, upstream: absent"] }
            let bad = try await CommandRun.admin(["reload"], at: reload.gateway)
            #expect(bad.exitCode == 1 && bad.output == "")
            #expect(bad.errors.contains("the previous one stays active:\ngatehouse.yaml:"), "\(bad.errors)")
            let again = try await CommandRun.admin(["status"], at: reload.gateway)
            #expect(again.exitCode == 0 && again.output.contains("configuration 2"))
        }
    }

    @Test(arguments: ["status", "reload"])
    func `an unreachable gateway is reported with a remedy`(command: String) async throws {
        let folder = try ScratchFolder()
        try folder.write("admin: { address: 127.0.0.1:1, token: 0123456789abcdef }\n" + CheckTests.valid, to: "a.yaml")
        let run = try await CommandRun.run(command, "--config", "a.yaml", in: folder)
        #expect(run.exitCode == 1)
        #expect(run.errors.contains("no gateway responds at 127.0.0.1:1 (the connection failed); start it"))
    }
}
