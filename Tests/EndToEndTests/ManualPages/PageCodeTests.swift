import Foundation
import Testing

@testable import SystemFixtures

/// The code for clients and services on the pages of the manual, in the languages for which this machine has a parser.
struct PageCodeTests {
    private struct Parser {
        let ending: String
        let arguments: [String]
    }

    private static let parsers = [
        "swift": Parser(ending: "swift", arguments: ["swiftc", "-parse"]),
        "python": Parser(
            ending: "py", arguments: ["python3", "-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"]),
        "js": Parser(ending: "mjs", arguments: ["node", "--check"]),
    ]

    /// Whether a program is on the PATH.
    private static func isHere(_ program: String) -> Bool {
        (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            .contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(program)") }
    }

    @Test(arguments: try MarkdownPage.paths())
    func `the code of a page is syntactically valid`(path: String) throws {
        for block in try MarkdownPage(path).blocks where !block.isSkipped {
            guard let parser = block.language.flatMap({ Self.parsers[$0] }), Self.isHere(parser.arguments[0]) else {
                continue
            }
            let folder = try ScratchFolder()
            try folder.write(block.text, to: "code.\(parser.ending)")
            #expect(throws: Never.self, "\(block.place)") {
                try Program.run("env", parser.arguments + ["code.\(parser.ending)"], in: folder.path)
            }
        }
    }
}
