import ArgumentParser
import DevelopmentIdentity
import Foundation
import GatewayCore
import UnixSignals

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a gateway with a local identity provider and an echo service, and print requests to try.",
        discussion: """
            Example: gatehouse demo

            Everything is on loopback and in memory; Ctrl-C ends it. It runs config/demo.yaml where that is at hand, else a copy of it.
            """)

    @Option(
        help: ArgumentHelp(
            "The gateway's address. Default: 127.0.0.1:8080, or any free port if it is in use.",
            valueName: "host:port"))
    var listen: String?

    @Flag(help: "Run the printed requests, print the results and exit, with code 0 if all results are as expected.")
    var check = false

    func validate() throws {
        do {
            guard try listen.map({ try ListenAddress(parsing: $0) })?.path == nil else {
                throw ValidationError("--listen: a unix: address; write HOST:PORT")
            }
        } catch let error as ListenAddress.ParseError {
            throw ValidationError("--listen: \(error.what); \(error.remedy)")
        }
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
        let demo = try await Demo.start(listen: listen, isLogged: !check)
        let isGood: Bool
        do {
            try await demo.waitUntilReady()
            let calls = try DemoCalls(demo, now: Int64(Date().timeIntervalSince1970)).all()
            isGood = try await present(demo, calls, until: signals)
        } catch {
            await demo.stop()
            throw Refused(error)
        }
        await demo.stop()
        if !isGood { throw ExitCode.failure }
    }

    /// Prints the requests, and runs them with `--check`. Returns whether all responses were as expected.
    private func present(_ demo: Demo, _ calls: [DemoCall], until signals: UnixSignalsSequence) async throws -> Bool {
        try Console.say(DemoText.introduction(demo))
        for (index, call) in calls.enumerated() { try Console.say(DemoText.paragraph(call, number: index + 1)) }
        if check {
            let run = DemoRun(demo)
            try Console.say("Running these lines by \(run.client):\n")
            let isGood = try await run.check(calls)
            try Console.say(
                "\n\(isGood ? "All requests returned the expected result." : "Not all requests returned the expected result.")"
            )
            return isGood
        }
        try Console.say(DemoText.farewell(demo, program: CommandLine.arguments.first ?? "gatehouse"))
        for await _ in signals { break }
        return true
    }
}
