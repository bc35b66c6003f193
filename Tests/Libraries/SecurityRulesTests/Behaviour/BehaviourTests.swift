import Testing

@Suite struct BehaviourTests {
    @Test(arguments: BehaviourTable.all)
    func `a feature behaves as its rows state`(feature: BehaviourFeature) {
        for row in feature.rows {
            let outcome = row.outcome(isChecked: true)
            #expect(row.expects(outcome), "\(row.testDescription): it is \(outcome)")
        }
    }

    /// A value of a refused kind can also come from the request, whose kinds the checker does not know.
    @Test(arguments: BehaviourTable.all)
    func `without the checker a refused row fails, and other rows have the same outcome`(feature: BehaviourFeature) {
        for row in feature.rows where row.request == nil {
            let outcome = row.outcome(isChecked: false)
            let isExpected = row.label.hasPrefix("refused") ? row.expectsUnchecked(outcome) : row.expects(outcome)
            #expect(isExpected, "\(row.testDescription): unchecked, it is \(outcome)")
        }
    }

    @Test func `every feature of the language has rows`() {
        let features = BehaviourTable.all.map(\.name)
        let required = Set(BehaviourRegistry.required)
        #expect(Set(features).count == features.count)
        #expect(Set(features).symmetricDifference(required).sorted() == [])
    }

    @Test(arguments: BehaviourTable.all)
    func `a feature shows truth, falsehood and an error, or states why not`(feature: BehaviourFeature) {
        for aspect in BehaviourRow.Aspect.allCases {
            let isShown = feature.aspects.contains(aspect)
            #expect(isShown != (feature.exceptions[aspect] != nil), "\(feature.name): \(aspect.rawValue)")
        }
    }
}

extension BehaviourRow {
    func outcome(isChecked: Bool) -> RuleOutcome {
        var sample = SampleRequest(isChecked: isChecked, isSignedIn: !feature.hasSuffix(", signed out"))
        guard let request else { return sample.outcome(ofCondition: source) }
        let parts = request.split(separator: " ").map(String.init)
        (sample.method, sample.path) = (parts[0], parts[1])
        return sample.outcome(ofFile: source)
    }

    func expects(_ outcome: RuleOutcome) -> Bool {
        if case .refused(let text) = outcome {
            return label.hasPrefix("refused") && text.contains(message ?? "")
        }
        return outcome == Self.outcomes[label]
    }

    /// `refused, false`: refused because the expression has no other outcome.
    func expectsUnchecked(_ outcome: RuleOutcome) -> Bool {
        switch label {
        case "refused, false": return outcome == .isFalse
        case "refused, true": return outcome == .isTrue
        default:
            if case .refused = outcome { return true }
            return outcome == .fails
        }
    }

    private static let outcomes: [String: RuleOutcome] = [
        "true": .isTrue, "false": .isFalse, "fails": .fails, "none": .none, "step-up": .stepUp,
    ]
}
