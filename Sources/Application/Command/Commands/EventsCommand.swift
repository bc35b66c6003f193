import ArgumentParser
import Diagnostics
import GatewayConfiguration
import GatewayCore

struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Manage the streams of security events at a transmitter.",
        discussion: """
            Example: gatehouse events status okta --config config/gatehouse.yaml

            The commands call the transmitter's management API (OpenID Shared Signals Framework 1.0), with \
            management_authorization of the transmitter in the configuration.
            """,
        subcommands: [EventsRegisterCommand.self, EventsStatusCommand.self, EventsVerifyCommand.self])
}

/// The transmitter of a command.
struct TransmitterOptions: ParsableArguments {
    @Argument(help: "The name of the transmitter in accounts.transmitters.")
    var transmitter: String

    @OptionGroup var source: ConfigurationOptions

    /// Runs `body` with the transmitter's management API.
    func run<Result: Sendable>(_ body: (EventStreams) async throws -> Result) async throws -> Result {
        let configuration = try source.load()
        let transmitters = configuration.accounts?.transmitters ?? []
        guard let found = transmitters.first(where: { $0.id == transmitter }) else {
            let names = transmitters.map(\.id).joined(separator: ", ")
            throw Refused(
                "accounts.transmitters has no \(transmitter); " + (names.isEmpty ? "add it" : "it has \(names)"))
        }
        do {
            return try await EventStreams.run(found, body)
        } catch let failure as EventStreams.Failure {
            throw Refused(failure)
        }
    }
}

struct EventsRegisterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "register",
        abstract: "Create a stream of events to the gateway.",
        discussion: """
            Example: gatehouse events register okta --push https://api.example.com/.gatehouse/events/ssf

            Prints the stream. With --poll, copy its endpoint to poll.url of the transmitter.
            """)

    @OptionGroup var options: TransmitterOptions

    @Option(help: ArgumentHelp("Events are pushed to this URL of the gateway.", valueName: "url"))
    var push: String?

    @Flag(help: "Events are polled by the gateway.")
    var poll = false

    @Option(
        name: .customLong("event"),
        help: ArgumentHelp(
            "The URI of a requested event. May be repeated. Default: all with an effect.", valueName: "uri"))
    var events: [String] = []

    func validate() throws {
        guard (push == nil) == poll else { throw ValidationError("write either --push URL or --poll") }
    }

    func run() async throws {
        let delivery: EventStreams.Delivery = push.map { .push(to: $0) } ?? .poll
        let requested = events.isEmpty ? EventStreams.events : events
        let lines = try await options.run { try await $0.register(delivery, events: requested) }
        for line in lines { try Console.say(line) }
    }
}

struct EventsStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Print the streams at the transmitter and their status.",
        discussion: "Example: gatehouse events status okta --config config/gatehouse.yaml")

    @OptionGroup var options: TransmitterOptions

    func run() async throws {
        for line in try await options.run({ try await $0.status() }) { try Console.say(line) }
    }
}

struct EventsVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Request a verification event for each stream.",
        discussion: """
            Example: gatehouse events verify okta --config config/gatehouse.yaml

            The transmitter sends an event with the printed state. The gateway that receives it logs the line \
            "event received" with event=verification and the state.
            """)

    @OptionGroup var options: TransmitterOptions

    func run() async throws {
        let state = RandomText.name()
        let streams = try await options.run { try await $0.verify(state: state) }
        for stream in streams { try Console.say("stream     \(stream)") }
        try Console.say("state      \(state)")
    }
}
