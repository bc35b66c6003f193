import Foundation
import Testing

@testable import SystemFixtures

@Suite struct DocumentedDifferenceTests {
    private let manual: String

    init() throws {
        let file = Repository.root.appending(path: "docs/verification.md")
        manual = try String(contentsOf: file, encoding: .utf8)
    }

    @Test(arguments: Difference.allCases) func theManualHasARowOfEachDifference(difference: Difference) {
        let isThere = manual.contains("\n| \(difference.rawValue) | ")
        #expect(isThere)
    }
}
