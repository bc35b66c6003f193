internal import JOSE
internal import SecurityRules

/// A condition over claims: it decides within its limits, and equally with and without a recorder.
///
/// The first line of the input is a JSON object of claims, the second the path, and the rest the condition of a route.
/// The condition is also decided unchecked, with types that the checker rejects.
public func fuzzConditions(_ bytes: UnsafeRawBufferPointer) {
    guard let input = ConditionInput(bytes) else { return }
    let unchecked = try? Ruleset(unchecked: input.source, captures: input.captures, label: "gatehouse.yaml:1")
    let checked = try? Ruleset(condition: input.source, captures: input.captures, label: "gatehouse.yaml:1")
    guard let unchecked else { return require(checked == nil, "what has errors of its own is not checked away") }
    let evaluator = RuleEvaluator()
    for signIn in ConditionInput.signIns {
        let verdict = input.verdict(unchecked, signIn, evaluator)
        require(verdict == input.verdict(unchecked, signIn, evaluator), "a verdict stays the same")
        require(verdict == input.verdict(unchecked, signIn, RuleEvaluator()), "whatever was decided before")
        if let checked {
            require(verdict == input.verdict(checked, signIn, evaluator), "a check changes no verdict")
        }
        checkRecorded(input, unchecked, signIn, verdict)
        checkStepUp(input, unchecked, signIn, verdict)
    }
}

/// A record is within the limits, and the condition of a permitted request is true in it.
private func checkRecorded(_ input: ConditionInput, _ ruleset: Ruleset, _ signIn: RuleSignIn, _ verdict: RuleVerdict) {
    let recorder = RuleRecorder()
    let evaluator = RuleEvaluator()
    evaluator.recorder = recorder
    require(verdict == input.verdict(ruleset, signIn, evaluator), "a verdict is the same under a recorder")
    var passes: [RuleRecorder.Pass: Int] = [:]
    var isTrue = false
    for entry in recorder.entries {
        passes[entry.pass, default: 0] += 1
        guard case .value(let value) = entry.outcome else { continue }
        if entry.pass == .actual, entry.expression == ruleset.rules[0].condition, case .bool(true) = value {
            isTrue = true
        }
    }
    require(passes.values.allSatisfy { $0 <= RuleLimits.expressions }, "no pass evaluates more than its limit")
    require(passes.count <= 2 * (RuleLimits.signInAges + 1) + 2, "passes are bounded")
    let isAllowed = if case .allowed = verdict { true } else { false }
    require(isAllowed == isTrue, "who may pass has a condition that is true")
}

/// A requested step-up is sufficient, or only the other one remains.
private func checkStepUp(_ input: ConditionInput, _ ruleset: Ruleset, _ signIn: RuleSignIn, _ verdict: RuleVerdict) {
    var later = signIn
    switch verdict {
    case .needsRecentSignIn(let age, _):
        later.authTime = ConditionInput.now - age
        later.record = .read(nil)
    case .needsSecondFactor: later.hasSecondFactor = true
    case .needsSignInRecord: later.record = .read(nil)
    default: return
    }
    switch input.verdict(ruleset, later, RuleEvaluator()) {
    case .allowed: break
    case .needsSecondFactor: require(!signIn.hasSecondFactor, "a second factor is required after a sign-in")
    case .needsSignInRecord: require(false, "a record is read once")
    default: require(verdict == .needsSignInRecord, "a requested step-up is sufficient")
    }
}
