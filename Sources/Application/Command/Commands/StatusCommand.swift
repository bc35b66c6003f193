import ArgumentParser
import Diagnostics
import GatewayCore

struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the health of a running gateway and of its dependencies.",
        discussion: """
            Example: gatehouse status --config config/gatehouse.yaml

            Without admin.token it prints the health only. The exit code is 0 if the gateway is ready, otherwise 1.
            """)

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let (report, address) = try await admin.call(needsToken: false) { client throws(AdminClientError) in
            (try await client.status(), client.address)
        }
        try Console.say(
            admin.json ? report.json : StatusText.text(of: report, at: address, now: GatewayClock.system.now()))
        if !report.isReady { throw ExitCode.failure }
    }
}

struct ReloadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reload the configuration of a running gateway, and wait for the outcome.",
        discussion: """
            Example: gatehouse reload --config config/gatehouse.yaml

            The gateway reads the files that it was started with. If it rejects them, the previous configuration stays \
            active and the exit code is 1. Without an admin API, send SIGHUP to the gateway and read its log.
            """)

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let reply = try await admin.call { client throws(AdminClientError) in try await client.reload() }
        try Console.say(admin.json ? reply.json : "reloaded: configuration \(reply.record) is active")
    }
}
