import Foundation

@testable import SystemFixtures

/// The commands of a page in order, and their gateways.
struct PageSteps {
    /// One command, or a block of commands without stated output.
    struct Command {
        let place: String
        let text: String
        /// The lines that the page states. `...` is an omission, and a number of ten digits matches any time.
        var stated: String?
        /// The gateway for the command, as an index of `configurations`. `nil` for the demo.
        let stage: Int?

        /// Returns the first stated line that the output lacks in this order. `nil` if it has all.
        func flaw(in output: String) -> String? {
            guard let stated else {
                return output.contains("\"code\":\"route/not-found\"") ? "a path with a route" : nil
            }
            var lines = output.split(whereSeparator: \.isNewline).map(String.init)[...]
            for line in stated.split(separator: "\n") {
                let pattern = NSRegularExpression.escapedPattern(for: String(line))
                    .replacing("\\.\\.\\.", with: ".*").replacing(/[0-9]{10}/, with: "[0-9]{10}")
                let found = lines.firstIndex { $0.range(of: "^\(pattern)$", options: .regularExpression) != nil }
                guard let found else { return String(line) }
                lines = lines[(found + 1)...]
            }
            return nil
        }
    }

    let page: MarkdownPage
    /// The complete configurations of the page, and the minimal one for `serve` with options.
    private(set) var configurations: [String] = []
    private(set) var commands: [Command] = []
    private var stage: Int?

    init(_ page: MarkdownPage) {
        self.page = page
        // A page with its own test states it.
        guard !page.text.contains(/A test runs (its|the)\s+commands/) else { return }
        for block in page.blocks where !block.isSkipped {
            if block.isConfiguration, PageConfiguration.isComplete(block.text) {
                configurations.append(block.text)
                stage = configurations.count - 1
            } else if block.isShell {
                if block.comment == "With the first configuration of this page." { stage = 0 }
                block.text.contains(#/(?m)^\$ /#) ? addTranscript(block) : addCommands(block)
            } else if block.language == "console", let last = commands.indices.last {
                commands[last].stated = block.text
            }
        }
    }

    private mutating func addCommands(_ block: MarkdownPage.Block) {
        if block.text.contains(#/(?m)^(script\/demo|gatehouse demo)/#) { stage = nil }
        if block.text.contains("serve --firebase-project") {
            configurations.append(PageConfiguration.completed(""))
            stage = configurations.count - 1
        }
        commands.append(Command(place: block.place, text: block.text, stage: stage))
    }

    /// Adds the lines after `$` with their continuations. The lines below each one are its output.
    private mutating func addTranscript(_ block: MarkdownPage.Block) {
        var text: String?
        var stated = ""
        for line in block.text.components(separatedBy: "\n") + ["$ "] {
            if line.hasPrefix("$ ") {
                if let text {
                    commands.append(
                        Command(
                            place: block.place, text: text, stated: stated.isEmpty ? nil : stated, stage: stage))
                }
                (text, stated) = (String(line.dropFirst(2)), "")
            } else if let command = text, command.hasSuffix("\\") {
                text = "\(command)\n\(line)"
            } else if !line.isEmpty {
                stated += line + "\n"
            }
        }
    }
}

extension MarkdownPage.Block {
    /// A block of commands, identified by its language or by an indented line that begins with a command.
    var isShell: Bool {
        guard let language else {
            let command =
                #/(\$|gatehouse|curl|git|swift|openssl|firebase|mkdir|export|python3|script/\w+|[.]build\S+) /#
            return (text + " ").replacing("\n", with: " ").prefixMatch(of: command) != nil
        }
        return ["sh", "shell", "bash"].contains(language) || language == "console" && text.contains(#/(?m)^\$ /#)
    }
}
