import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// `gatehouse healthcheck`, as a container's health check runs it.
struct HealthcheckTests {
    private func check(_ arguments: String..., at gateway: GatewayProcess) async throws -> CommandRun {
        try await CommandRun.run(
            ["healthcheck", "--admin", "127.0.0.1:\(gateway.adminPort)"] + arguments, in: gateway.folder)
    }

    /// Writes a configuration with the address of the gateway's admin listener, and runs the check with it.
    private func check(_ gateway: GatewayProcess, configuration: (String) -> String) async throws -> CommandRun {
        try gateway.folder.write(configuration("127.0.0.1:\(gateway.adminPort)"), to: "health.yaml")
        return try await CommandRun.run("healthcheck", "--config", "health.yaml", in: gateway.folder)
    }

    @Test func `a ready gateway is healthy, and nothing is printed`() async throws {
        try await Scenario.run { scenario in
            for run in [
                try await check(at: scenario.gateway), try await check("--live", at: scenario.gateway),
                try await check(scenario.gateway) { "admin: { address: '\($0)' }\n\(CheckTests.valid)" },
            ] {
                #expect(run.exitCode == 0 && run.output.isEmpty && run.errors.isEmpty, "\(run.errors)")
            }
        }
    }

    @Test func `only the address of the configuration matters`() async throws {
        try await Scenario.run { scenario in
            for yaml in [
                "admin: { address: 'ADDRESS' }\nroutes: 7\nunknown: x\n",
                "admin: { address: 'ADDRESS', token: '${file:absent}' }\nstore: '${ABSENT}'\n",
                "admin:\n  token: ${ABSENT}\n  address: ADDRESS\n",
            ] {
                let run = try await check(scenario.gateway) { yaml.replacing("ADDRESS", with: $0) }
                #expect(run.exitCode == 0 && run.errors.isEmpty, "\(yaml): \(run.errors)")
            }
        }
    }

    @Test(arguments: [
        ("admin: { address: null }\n", "the admin listener is disabled"),
        ("admin: { address: '127.0.0.1:0' }\n", "admin.address has port 0"),
        ("admin: { address: '${ABSENT}' }\n", "health.yaml:1:19: the environment variable ABSENT is not set"),
        ("admin: { address: x }\n", "health.yaml:1:19: "), ("admin: 7\n", "health.yaml:1:8: "),
        ("admin: { address: '127.0.0.1:1' }\nadmin: { address: '127.0.0.1:2' }\n", "health.yaml:2:1: "),
        ("admin: [\n", "health.yaml:"), ("", "health.yaml:1:1: "), ("7\n", "health.yaml:1:1: "),
    ])
    func `a configuration without a usable address is reported`(yaml: String, message: String) async throws {
        let folder = try ScratchFolder()
        try folder.write(yaml, to: "health.yaml")
        let run = try await CommandRun.run("healthcheck", "--config", "health.yaml", in: folder)
        #expect(run.exitCode == 1 && run.output.isEmpty && run.errors.contains(message), "\(run.errors)")
    }

    @Test func `a gateway without its keys is alive, but not ready`() async throws {
        let absent = GatewayConfiguration.identity("http://127.0.0.1:1/", "http://127.0.0.1:1/")
        try await Scenario.run(waits: false, arrange: { $2["identity"] = absent }) { scenario in
            let run = try await check(at: scenario.gateway)
            #expect(run.exitCode == 1 && run.output.isEmpty && run.errorLines.count == 1, "\(run.errors)")
            #expect(run.errors.contains("is not ready: keys http://127.0.0.1:1/: not read yet"), "\(run.errors)")
            #expect(try await check("--live", at: scenario.gateway).exitCode == 0)
        }
    }

    @Test func `a draining gateway is alive, but not ready`() async throws {
        try await Scenario.run(arrange: { $2["drain"] = "{ delay: 1m, timeout: 1s }" }) { scenario in
            scenario.gateway.signal(SIGTERM)
            _ = try await eventually("503 of /readyz") {
                try scenario.gateway.readiness().status == 503 ? true : nil
            }
            let run = try await check(at: scenario.gateway)
            #expect(run.exitCode == 1 && run.errors.contains("serving: the gateway is draining"), "\(run.errors)")
            #expect(try await check("--live", at: scenario.gateway).exitCode == 0)
        }
    }

    @Test(arguments: [[], ["--live"]])
    func `a gateway that does not respond is unhealthy after the timeout`(options: [String]) async throws {
        // The connections of this socket are never accepted.
        let (descriptor, port) = try Ports.listener()
        defer { close(descriptor) }
        let run = try await CommandRun.run(
            ["healthcheck", "--admin", "127.0.0.1:\(port)", "--timeout", "1s"] + options, in: ScratchFolder())
        #expect(run.exitCode == 1 && run.errors.contains("no gateway responds at 127.0.0.1:\(port) (timed out)"))
    }

    @Test(arguments: [[], ["--live"]])
    func `another server is unhealthy`(options: [String]) async throws {
        let echo = try await EchoUpstream.start()
        let run = try await CommandRun.run(
            ["healthcheck", "--admin", "127.0.0.1:\(echo.port)"] + options, in: ScratchFolder())
        await echo.stop()
        #expect(run.exitCode == 1 && run.errors.contains("is not from Gatehouse's admin API"), "\(run.errors)")
    }

    @Test(arguments: [
        ["--timeout", "0s"], ["--timeout", "61s"], ["--timeout", "-1s"], ["--admin", "127.0.0.1:1", "--config", "x"],
    ])
    func `wrong usage exits with 64`(options: [String]) async throws {
        #expect(try await CommandRun.run(["healthcheck"] + options, in: ScratchFolder()).exitCode == 64)
    }

    @Test(arguments: [
        ("127.0.0.1", "--admin: "), ("unix:/run/x", "--admin: a unix: address"), ("off", "--admin: "),
    ])
    func `an invalid address is reported`(address: String, message: String) async throws {
        let run = try await CommandRun.run("healthcheck", "--admin", address, in: ScratchFolder())
        #expect(run.exitCode == 1 && run.errors.contains(message), "\(run.errors)")
    }
}
