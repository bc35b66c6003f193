import ArgumentParser

struct RulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Test security rules.",
        discussion: "Example: gatehouse rules test config/rules/*.rules",
        subcommands: [RulesTestCommand.self])
}
