import Foundation
import Testing

@testable import SystemFixtures

/// The page of the manual says what the tests found.
@Suite struct ConformancePageTests {
    private let lines: Set<Substring>

    init() throws {
        let page = try String(contentsOf: Repository.root.appending(path: "docs/rules-conformance.md"), encoding: .utf8)
        lines = Set(page.split(separator: "\n"))
    }

    @Test func thePageHasTheCountsOfTheCases() {
        let report = CELReport(CELCases.all.flatMap(\.cases))
        expect(CELCases.all.map { report.line($0.file) } + [report.line("all")])
        expect(report.outsideLines + report.differenceLines + report.refusalLines)
    }

    @Test func thePageHasTheCountsOfTheBehaviours() {
        expect(BehaviourTable.groups.map(\.line) + [BehaviourTable.Group("all", BehaviourTable.all).line])
    }

    private func expect(_ expected: [String]) {
        for line in expected {
            print("rules-conformance:", line)
            let isThere = lines.contains(Substring(line))
            #expect(isThere, "docs/rules-conformance.md should say: \(line)")
        }
    }
}
