import DevelopmentIdentity
import Foundation
import Testing

@testable import SystemFixtures

/// The configurations and other data on the pages of the manual.
struct PageConfigurationTests {
    /// The languages that a test of this folder or of `ManualRulesTests` handles. `text` is output. The toolchains of
    /// Go and Kotlin are not installed, so their code is not checked.
    private static let languages: Set = [
        "caddyfile", "console", "go", "haproxy", "http", "ini", "js", "json", "kotlin", "lua", "mermaid", "nginx",
        "python", "sh", "swift", "text", "yaml",
    ]

    @Test(arguments: try MarkdownPage.paths())
    func `every block of code is of a kind that a test handles`(path: String) throws {
        for block in try MarkdownPage(path).blocks {
            guard let language = block.language, !block.isSkipped else { continue }
            let isKnown = language.isEmpty ? block.isRules || block.isDrawing : Self.languages.contains(language)
            #expect(isKnown, "\(block.place): name the language, or write <!-- not tested: REASON --> before the block")
        }
    }

    @Test(arguments: try MarkdownPage.paths())
    func `every configuration of a page is valid`(path: String) async throws {
        let page = try MarkdownPage(path)
        let blocks = page.blocks.filter { $0.isConfiguration && !$0.isSkipped }
        guard !blocks.isEmpty else { return }
        try await OwnThread.run {
            let provider = try await DevelopmentProvider.start()
            let examples = try PageExamples(page, provider, in: ScratchFolder())
            for block in blocks {
                try examples.folder.write(examples.configuration(block.text), to: "gatehouse.yaml")
                let run = try await CommandRun.run(
                    "check", "--config", "gatehouse.yaml", environment: examples.environment(block.text),
                    in: examples.folder)
                #expect(run.exitCode == 0, "\(block.place): \(run.errors)")
            }
            await provider.stop()
        }
    }

    @Test(arguments: try MarkdownPage.paths())
    func `the tests of a page's rules pass`(path: String) async throws {
        let page = try MarkdownPage(path)
        for block in page.blocks where block.isRulesTest {
            let provider = try await DevelopmentProvider.start()
            let examples = try PageExamples(page, provider, in: ScratchFolder())
            await provider.stop()
            let tests = PageExamples.fileName(of: block, or: "api.test.yaml")
            let rules = tests.replacing(".test.yaml", with: ".rules")
            let run = try await CommandRun.run("rules", "test", rules, in: examples.folder)
            #expect(run.exitCode == 0, "\(block.place): \(run.output)\(run.errors)")
        }
    }

    @Test(arguments: try MarkdownPage.paths())
    func `every JSON text, response and error code of a page is valid`(path: String) throws {
        let errors = try MarkdownPage("docs/reference/errors.md").rows
        let statuses = Dictionary(errors.filter { $0.count > 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
        for block in try MarkdownPage(path).blocks where !block.isSkipped {
            if block.language == "json" {
                let text = block.text.trimmingCharacters(in: .newlines)
                #expect(JSON(parsing: Array(text.utf8)) != nil, "\(block.place)")
            }
            for line in block.text.split(separator: "\n") {
                guard let code = line.firstMatch(of: /"code":"([a-z]+\/[a-z-]+)"/)?.1 else { continue }
                let status = try #require(statuses["`\(code)`"], "\(block.place): no such code: \(code)")
                let stated = line.firstMatch(of: /"status":([0-9]+)/)?.1
                #expect(stated == nil || String(stated ?? "") == status, "\(block.place): \(code) is \(status)")
            }
        }
    }
}
