import SecurityRules
import Testing

@testable import SystemFixtures

/// The rules on the pages of the manual.
@Suite struct ManualRulesTests {
    /// A part of a file, together with the blocks that contain it.
    private static func completed(_ text: String) -> String {
        if text.contains(#/(?m)^service /#) { return text }
        let match = text.contains(#/(?m)^match /#) ? text : "match /{uid}/{rest=**} {\n\(text)}\n"
        return "rules_version = '2';\nservice gatehouse.http {\n\(match)}\n"
    }

    @Test(arguments: try MarkdownPage.paths())
    func `every block of rules compiles`(path: String) throws {
        for block in try MarkdownPage(path).blocks where block.isRules {
            #expect(throws: Never.self, "\(block.place)") {
                _ = try Ruleset(file: RuleSource(Self.completed(block.text), name: block.place))
            }
        }
    }
}
