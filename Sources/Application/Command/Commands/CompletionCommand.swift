import ArgumentParser
import Foundation

struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print a completion script for a shell.",
        discussion: """
            bash:  gatehouse completion bash > /etc/bash_completion.d/gatehouse
            zsh:   gatehouse completion zsh > /usr/local/share/zsh/site-functions/_gatehouse
            fish:  gatehouse completion fish > ~/.config/fish/completions/gatehouse.fish
            """)

    /// The supported shells.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash, zsh, fish

        var completionShell: CompletionShell {
            switch self {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        }
    }

    @Argument(help: "The shell.")
    var shell: Shell

    func run() throws {
        try Console.emit(Data((GatehouseCommand.completionScript(for: shell.completionShell) + "\n").utf8))
    }
}
