import Foundation

@testable import SystemFixtures

/// A page of the manual as a list of files and commands, in order.
///
/// - A `yaml` or plain code block after a sentence that names a file, such as `gatehouse.yaml`, is that file.
/// - A line `$ COMMAND` of a `console` block is a command, up to the next line unless it ends in `\`. The lines up to
///   the next command are its complete output, in which `...` marks an omission.
/// - A `sh` block is a script without a stated output.
/// - Any other code block is neither.
struct ManualPage {
    enum Part {
        case file(name: String, text: String)
        case command(String, output: String)
        case script(String)
    }

    private(set) var parts: [Part] = []

    /// Reads a page of the repository.
    init(_ path: String) throws { self.init(try MarkdownPage(path)) }

    init(_ page: MarkdownPage) {
        for block in page.blocks {
            guard let language = block.language else { continue }
            add(Array(block.text.components(separatedBy: "\n").dropLast()), language: language, after: block.lead)
        }
    }

    private mutating func add(_ lines: [String], language: String, after prose: String) {
        switch language {
        case "sh": parts += lines.map { .script($0) }
        case "console": addCommands(lines)
        case "yaml", "":
            guard let name = prose.matches(of: /`([A-Za-z\/.]+\.(?:yaml|rules))`/).last?.1 else { return }
            parts.append(.file(name: String(name), text: lines.joined(separator: "\n") + "\n"))
        default: break
        }
    }

    private mutating func addCommands(_ lines: [String]) {
        var rest = lines[...]
        while let first = rest.popFirst() {
            guard first.hasPrefix("$ ") else { continue }
            var command = [String(first.dropFirst(2))]
            while command.last?.hasSuffix("\\") == true, let next = rest.popFirst() { command.append(next) }
            let output = rest.prefix { !$0.hasPrefix("$ ") }
            rest = rest.dropFirst(output.count)
            parts.append(.command(command.joined(separator: "\n"), output: output.joined(separator: "\n")))
        }
    }
}

/// A comparison of an output with the output that the manual states.
enum StatedOutput {
    /// Returns whether the output is as stated. `...` matches any text, including several lines. Carriage returns and
    /// blank lines are ignored.
    static func matches(_ stated: String, _ output: String) -> Bool {
        var rest = text(output)[...]
        let pieces = text(stated).components(separatedBy: "...")
        guard let first = pieces.first, rest.hasPrefix(first) else { return false }
        rest = rest.dropFirst(first.count)
        guard pieces.count > 1, let last = pieces.last else { return rest.isEmpty }
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.range(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }

    private static func text(_ output: String) -> String {
        output.split(whereSeparator: \.isNewline).joined(separator: "\n")
    }
}
