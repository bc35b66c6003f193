import Foundation
import Testing

@testable import SystemFixtures

/// The names of tests on the pages of the manual.
struct PageTestNameTests {
    @Test func `every suite and test that a page names exists`() throws {
        let files = FileManager.default.enumerator(atPath: Repository.root.appending(path: "Tests").path)
        let paths = (files?.allObjects ?? []).compactMap { $0 as? String }
        let source = try paths.filter { $0.hasSuffix(".swift") }
            .map { try String(contentsOf: Repository.root.appending(path: "Tests/\($0)"), encoding: .utf8) }.joined()
        let suites = Set(source.matches(of: /(?:struct|class|extension) (\w+Tests)\b/).map { String($0.1) })
            .union(paths.map { URL(filePath: $0).deletingPathExtension().lastPathComponent })
        for path in try MarkdownPage.paths() {
            let text = try MarkdownPage(path).text
            for name in text.matches(of: /\b([A-Z][a-z]\w+Tests)\b/) {
                #expect(suites.contains(String(name.1)), "\(path): no suite \(name.1)")
            }
            for names in text.matches(of: /Tests(?:\]\([^)\n]*\))?((?:,? `[^`\n]+`)+)/) {
                for name in names.1.matches(of: /`([^`]+)`/) where !name.1.contains("Tests") {
                    let isThere = source.contains("func \(name.1)(") || source.contains("func `\(name.1)`(")
                    #expect(isThere, "\(path): no test \(name.1)")
                }
            }
        }
    }
}
