import ArgumentParser
import Diagnostics
import Foundation
import GatewayCore
import SecurityRules

struct RulesTestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run the tests of rules files, and report their coverage.",
        discussion: """
            Example: gatehouse rules test config/rules/*.rules --coverage coverage.html --min-coverage 100

            The tests of notes.rules stand beside it in notes.test.yaml. For each test that fails it prints what every part of the \
            conditions came to. The exit code is 0 when all tests pass and enough is covered, else 1; errors in a file go to standard \
            error as FILE:LINE:COLUMN: what; what to do.
            """)

    /// The maximum number of files per run.
    private static let maximumFiles = 1_000

    @Argument(help: ArgumentHelp("Rules files, or files of tests.", valueName: "file"))
    var files: [String]

    @Option(help: ArgumentHelp("Write the coverage as a page of HTML, too.", valueName: "file.html"))
    var coverage: String?

    @Option(help: ArgumentHelp("Fail below this coverage, in percent.", valueName: "n"))
    var minCoverage: Int?

    @Flag(help: "Print only failures and the summary.")
    var quiet = false

    @Flag(help: "Print the values of the conditions' parts for successful tests too.")
    var verbose = false

    @Flag(help: "Print results and coverage as JSON.")
    var json = false

    func validate() throws {
        guard files.count <= Self.maximumFiles else {
            throw ValidationError("more than \(Self.maximumFiles) files; run them in parts")
        }
        guard (0...100).contains(minCoverage ?? 0) else { throw ValidationError("--min-coverage takes 0 to 100") }
        if json, quiet || verbose {
            throw ValidationError("--json excludes --quiet and --verbose: it has everything; leave them out")
        }
        if quiet, verbose { throw ValidationError("--quiet and --verbose exclude each other; give one of them") }
    }

    func run() throws {
        let run = RuleTestRun(try load())
        if json {
            try Console.say(try RuleTestJSON.text(of: run))
        } else {
            try Console.say(RuleTestText(run, detail: verbose ? .all : quiet ? .little : .usual).text)
        }
        try writePage(run)
        let isCovered = run.coverage.reaches(percent: minCoverage ?? 0)
        if !isCovered {
            let percent = RuleCoverage.percent(run.coverage.seen, of: run.coverage.outcomes)
            Console.complain(
                "the coverage is \(percent) %, below \(minCoverage ?? 0) %; add tests for what is not covered")
        }
        guard run.failures == 0, isCovered else { throw ExitCode.failure }
    }

    /// Loads each file once, and reports all errors before any test runs.
    private func load() throws -> [RuleTestFile] {
        var seen: Set<String> = []
        var loaded: [RuleTestFile] = []
        var problems: [ConfigurationErrors] = []
        for file in files where seen.insert(RuleTestFile.testFile(for: file)).inserted {
            do throws(ConfigurationErrors) {
                loaded.append(try RuleTestFile.load(file))
            } catch {
                problems.append(error)
            }
        }
        for warning in loaded.flatMap(\.warnings) { Console.complain("\(warning)") }
        guard problems.isEmpty else { throw Refused(problems.map(\.description).joined(separator: "\n")) }
        return loaded
    }

    private func writePage(_ run: RuleTestRun) throws {
        guard let coverage else { return }
        do {
            try Data(RuleCoveragePage(run).html.utf8).write(to: URL(filePath: coverage))
        } catch {
            throw Refused("\(coverage) cannot be written; name a file in a folder that is there (--coverage)")
        }
    }
}

struct RulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rules",
        abstract: "Test security rules.",
        discussion: "Example: gatehouse rules test config/rules/*.rules",
        subcommands: [RulesTestCommand.self])
}
