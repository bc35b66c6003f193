import Foundation
import Testing

@testable import SystemFixtures

/// CEL's public conformance cases. Each case of the common subset agrees, or is listed with a reason.
@Suite struct CELConformanceTests {
    @Test(arguments: CELCases.all.flatMap(\.cases))
    func `a case agrees, or is listed with a reason`(test: CELCase) {
        let verdict = CELVerdict(test)
        let differs = CELDifferences.outcomes.count { $0.explains(test) }
        let isRefused = CELDifferences.refusals.count { $0.explains(test) }
        switch verdict {
        case .differs(let outcome): #expect(differs == 1, "\(test.testDescription): \(outcome)")
        case .agreesUnchecked: #expect(differs == 0 && isRefused == 1, "\(test.testDescription): refused at load")
        case .agrees, .outside: #expect(differs == 0, "\(test.testDescription): does not differ")
        }
    }

    @Test func `every case has an expected value that the tables can express`() {
        for test in CELCases.all.flatMap(\.cases) where CELSubset.outside(test) == nil {
            #expect(test.expected.map { CELValue.read($0) != nil } ?? true, "\(test.testDescription)")
        }
    }

    @Test func `every case is listed once`() {
        let ids = CELCases.all.flatMap(\.cases).map(\.id)
        #expect(Set(ids).count == ids.count)
    }
}

/// Compares the counts on the page of the manual with the counts of the tests.
@Suite struct ConformancePageTests {
    private let lines: Set<Substring>

    init() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "docs/internals/rules-conformance.md"), encoding: .utf8)
        lines = Set(page.split(separator: "\n"))
    }

    @Test func `the page has the counts of the cases`() {
        let report = CELReport(CELCases.all.flatMap(\.cases))
        expect(CELCases.all.map { report.line($0.file) } + [report.line("all")])
        expect(report.outsideLines + report.differenceLines + report.refusalLines)
    }

    @Test func `the page has the counts of the behaviours`() {
        expect(BehaviourTable.groups.map(\.line) + [BehaviourTable.Group("all", BehaviourTable.all).line])
    }

    private func expect(_ expected: [String]) {
        for line in expected {
            print("rules-conformance:", line)
            let isThere = lines.contains(Substring(line))
            #expect(isThere, "docs/internals/rules-conformance.md should contain the line: \(line)")
        }
    }
}
