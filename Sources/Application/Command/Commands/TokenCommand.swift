import ArgumentParser

struct TokenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Look into tokens, and mint some for development.",
        discussion: "Example: gatehouse token inspect --firebase-project my-app \"$TOKEN\"",
        subcommands: [TokenInspectCommand.self, TokenMintCommand.self])
}
