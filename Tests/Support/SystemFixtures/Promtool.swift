import Foundation

/// The checks of `promtool`, a program of Prometheus that `script/setup --test` installs.
enum Promtool {
    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: Program.path("promtool")) }
    static let absence = "promtool is not installed; script/setup --test installs it"

    /// Runs `promtool` and returns all its output, which ends with a line `FAILED` if the exit code is not 0.
    ///
    /// - Parameter input: A file for standard input.
    static func run(_ arguments: String..., input: String = "/dev/null") throws -> String {
        try Program.run(
            "sh",
            ["-c", "input=$1; shift; \"$0\" \"$@\" <\"$input\" 2>&1 || echo FAILED", Program.path("promtool"), input]
                + arguments)
    }

    /// Returns the output of a check of expressions of PromQL. It contains `FAILED` if one of them is invalid.
    static func check(expressions: [String]) throws -> String {
        let folder = try ScratchFolder()
        let rules = expressions.enumerated().map { index, expression in
            let indented = expression.split(separator: "\n").map { "          " + $0 }.joined(separator: "\n")
            return "      - record: expression\(index)\n        expr: |\n\(indented)\n"
        }
        try folder.write("groups:\n  - name: expressions\n    rules:\n\(rules.joined())", to: "rules.yaml")
        return try run("check", "rules", folder.path("rules.yaml"))
    }
}
