import Testing

@Suite struct BehaviourTests {
    @Test(arguments: BehaviourTable.all)
    func aFeatureBehavesAsItsRowsSay(feature: BehaviourFeature) {
        for row in feature.rows {
            let answer = row.ask(isChecked: true)
            #expect(row.expects(answer), "\(row.testDescription): it is \(answer)")
        }
    }

    /// What the checker refuses comes from somewhere else too, where its kind is known only to the request.
    @Test(arguments: BehaviourTable.all)
    func whatIsRefusedAtLoadIsAnErrorWithoutTheChecker(feature: BehaviourFeature) {
        for row in feature.rows where row.label.hasPrefix("refused") && row.request == nil {
            let answer = row.ask(isChecked: false)
            #expect(row.expectsUnchecked(answer), "\(row.testDescription): unchecked, it is \(answer)")
        }
    }

    /// The checker only refuses: what it lets load comes to the same.
    @Test(arguments: BehaviourTable.all)
    func theCheckerChangesNoAnswer(feature: BehaviourFeature) {
        for row in feature.rows where !row.label.hasPrefix("refused") && row.request == nil {
            let answer = row.ask(isChecked: false)
            #expect(row.expects(answer), "\(row.testDescription): unchecked, it is \(answer)")
        }
    }

    @Test func everythingOfTheLanguageHasRows() {
        let features = BehaviourTable.all.map(\.name)
        let required = Set(BehaviourRegistry.required)
        #expect(Set(features).count == features.count)
        #expect(Set(features).symmetricDifference(required).sorted() == [])
    }

    @Test(arguments: BehaviourTable.all)
    func aFeatureShowsTruthFalsehoodAndAnErrorOrSaysWhyNot(feature: BehaviourFeature) {
        for aspect in BehaviourRow.Aspect.allCases {
            let isShown = feature.aspects.contains(aspect)
            #expect(isShown != (feature.exceptions[aspect] != nil), "\(feature.name): \(aspect.rawValue)")
        }
    }
}

extension BehaviourRow {
    /// What the language says.
    func ask(isChecked: Bool) -> RuleAnswer {
        var ask = RuleAsk(isChecked: isChecked, isSignedIn: !feature.hasSuffix(", signed out"))
        guard let request else { return ask.condition(source) }
        let parts = request.split(separator: " ").map(String.init)
        ask.method = parts[0]
        ask.path = parts[1]
        return ask.file(source)
    }

    func expects(_ answer: RuleAnswer) -> Bool {
        if case .refused(let text) = answer {
            return label.hasPrefix("refused") && text.contains(message ?? "")
        }
        return answer == Self.answers[label]
    }

    /// `refused, false`: refused because it cannot be anything else.
    func expectsUnchecked(_ answer: RuleAnswer) -> Bool {
        switch label {
        case "refused, false": return answer == .isFalse
        case "refused, true": return answer == .isTrue
        default:
            if case .refused = answer { return true }
            return answer == .fails
        }
    }

    private static let answers: [String: RuleAnswer] = [
        "true": .isTrue, "false": .isFalse, "fails": .fails, "none": .none, "step-up": .stepUp,
    ]
}
