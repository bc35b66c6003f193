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
            In a container: docker run --rm -p 127.0.0.1:8080:8080 -p 127.0.0.1:9901:9901 IMAGE demo --container

            Everything is on loopback and in memory; Ctrl-C ends it. It runs config/demo.yaml if that file exists, otherwise a copy \
            of it. The tokens are written to a file in the state directory, which is removed at the end.
            """)

    @OptionGroup var addresses: DemoAddressOptions

    @Flag(help: "Run the printed requests, print the results and exit, with code 0 if all results are as expected.")
    var check = false

    @Flag(help: "Print addresses, tokens and requests as one line of JSON, and no access log.")
    var json = false

    func validate() throws {
        if check, json { throw ValidationError("--check and --json exclude each other; give one of them") }
        do {
            guard try addresses.listen.map({ try ListenAddress(parsing: $0) })?.path == nil else {
                throw ValidationError("--listen: a unix: address; write HOST:PORT")
            }
        } catch let error as ListenAddress.ParseError {
            throw ValidationError("--listen: \(error.what); \(error.remedy)")
        }
    }

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
        let demo = try await Demo.start(addresses, isLogged: !check && !json)
        let isGood: Bool
        do {
            try await demo.waitUntilReady()
            isGood = try await present(demo, until: signals)
        } catch {
            await demo.stop()
            throw Refused(error)
        }
        await demo.stop()
        if !isGood { throw ExitCode.failure }
    }

    /// Prints the requests, and runs them with `--check`, otherwise waits for a signal. Returns whether all responses
    /// were as expected.
    private func present(_ demo: Demo, until signals: UnixSignalsSequence) async throws -> Bool {
        let tokens = try DemoTokens(demo, now: Int64(Date().timeIntervalSince1970))
        let calls = DemoCalls(demo, tokens)
        let file = DemoShellFile(demo, tokens)
        defer { file.remove() }
        if json {
            try Console.say(DemoText.json(demo, tokens, file, calls))
        } else {
            try Console.say(DemoText.introduction(demo, file))
            try Console.say(DemoText.requests(calls))
        }
        if check { return try await run(calls, DemoRun(demo, loading: file.loading)) }
        if !json { try Console.say(DemoText.farewell(demo, program: CommandLine.arguments.first ?? "gatehouse")) }
        for await _ in signals { break }
        return true
    }

    private func run(_ calls: DemoCalls, _ run: DemoRun) async throws -> Bool {
        try Console.say("Running these lines by \(run.client):\n")
        let isGood = try await run.check(calls.all)
        let result =
            isGood ? "All requests returned the expected result." : "Not all requests returned the expected result."
        try Console.say("\n\(result)")
        return isGood
    }
}
