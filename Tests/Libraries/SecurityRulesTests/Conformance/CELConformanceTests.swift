import Testing

/// CEL's public conformance cases, as far as both languages have what they ask.
@Suite struct CELConformanceTests {
    @Test(arguments: CELCases.all.flatMap(\.cases))
    func aCaseAgreesOrIsListedWithAReason(test: CELCase) {
        let verdict = CELVerdict(test)
        let differs = CELDifferences.answers.count { $0.explains(test) }
        let isRefused = CELDifferences.refusals.count { $0.explains(test) }
        switch verdict {
        case .differs(let answer): #expect(differs == 1, "\(test.testDescription): \(answer)")
        case .agreesUnchecked: #expect(differs == 0 && isRefused == 1, "\(test.testDescription): refused at load")
        case .agrees, .outside: #expect(differs == 0, "\(test.testDescription): does not differ")
        }
    }

    @Test func everyCaseHasAnExpectedValueThatTheTablesCanSay() {
        for test in CELCases.all.flatMap(\.cases) where CELSubset.outside(test) == nil {
            #expect(test.expected.map { CELValue.read($0) != nil } ?? true, "\(test.testDescription)")
        }
    }

    @Test func everyCaseStandsOnce() {
        let ids = CELCases.all.flatMap(\.cases).map(\.id)
        #expect(Set(ids).count == ids.count)
    }
}
