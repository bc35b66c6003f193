import ArgumentParser

@main
struct GatehouseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gatehouse",
        abstract: "An HTTP gateway that verifies Firebase sign-ins and forwards who is asking.",
        discussion: """
            Example: gatehouse serve --firebase-project my-app --upstream http://127.0.0.1:3000
            Exit codes: 0 done, 1 refused or invalid, 64 wrong usage.
            """,
        version: "0.1.0",
        subcommands: [ServeCommand.self])
}
