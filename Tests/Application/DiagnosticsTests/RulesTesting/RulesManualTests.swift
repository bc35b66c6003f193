import Foundation
import Testing

@testable import SystemFixtures

/// The page of the manual about rules.
@Suite struct RulesManualTests {
    private static let folder = Repository.configurations.appending(path: "rules")

    private static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".rules") }.sorted()
    }

    @Test(arguments: try files())
    func `each worked rule is in the manual as in its file`(file: String) throws {
        let page = try String(contentsOf: Repository.root.appending(path: "docs/guides/rules.md"), encoding: .utf8)
        let rules = try String(contentsOf: Self.folder.appending(path: file), encoding: .utf8)
        #expect(page.contains("```\n\(rules)```\n"))
        let tests = file.replacing(".rules", with: ".test.yaml")
        #expect(page.contains("[\(file)](../../config/rules/\(file)), [tests](../../config/rules/\(tests))"))
    }
}
