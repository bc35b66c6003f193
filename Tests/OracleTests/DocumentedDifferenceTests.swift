import Foundation
import Testing

@Suite struct DocumentedDifferenceTests {
    private let manual: String

    init() throws {
        let file = URL(filePath: #filePath).appending(path: "../../../docs/verification.md").standardized
        manual = try String(contentsOf: file, encoding: .utf8)
    }

    @Test(arguments: Difference.allCases) func theManualHasARowOfEachDifference(difference: Difference) {
        let isThere = manual.contains("\n| \(difference.rawValue) | ")
        #expect(isThere)
    }
}
