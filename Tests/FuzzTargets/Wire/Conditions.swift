internal import JOSE
internal import SecurityRules

/// A condition over claims: it never traps, and decides the same whoever looks on, within its limits, as it was told.
///
/// The input's first line is the claims, a JSON object; the second the path; what follows is the condition of a route. It is asked without
/// the checker too, so that kinds meet which it would keep apart.
public func fuzzConditions(_ input: UnsafeRawBufferPointer) {
    guard let asked = ConditionInput(input) else { return }
    let unchecked = try? Ruleset(unchecked: asked.source, captures: asked.captures, label: "gatehouse.yaml:1")
    let checked = try? Ruleset(condition: asked.source, captures: asked.captures, label: "gatehouse.yaml:1")
    guard let unchecked else { return require(checked == nil, "what has errors of its own is not checked away") }
    let evaluator = RuleEvaluator()
    for signIn in ConditionInput.signIns {
        let verdict = asked.verdict(unchecked, signIn, evaluator)
        require(verdict == asked.verdict(unchecked, signIn, evaluator), "a verdict stays the same")
        require(verdict == asked.verdict(unchecked, signIn, RuleEvaluator()), "whatever was decided before")
        if let checked {
            require(verdict == asked.verdict(checked, signIn, evaluator), "a check changes no verdict")
        }
        checkRecorded(asked, unchecked, signIn, verdict)
        checkStepUp(asked, unchecked, signIn, verdict)
    }
}

/// What was recorded is within the limits, and tells of a request that may pass that its condition is true.
private func checkRecorded(_ asked: ConditionInput, _ ruleset: Ruleset, _ signIn: RuleSignIn, _ verdict: RuleVerdict) {
    let recorder = RuleRecorder()
    let evaluator = RuleEvaluator()
    evaluator.recorder = recorder
    require(verdict == asked.verdict(ruleset, signIn, evaluator), "a verdict is the same under a recorder")
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

/// A step-up that is asked for suffices, or leaves only the other one.
private func checkStepUp(_ asked: ConditionInput, _ ruleset: Ruleset, _ signIn: RuleSignIn, _ verdict: RuleVerdict) {
    var later = signIn
    switch verdict {
    case .needsRecentSignIn(let age, _):
        later.authTime = ConditionInput.now - age
        later.record = .read(nil)
    case .needsSecondFactor: later.hasSecondFactor = true
    case .needsSignInRecord: later.record = .read(nil)
    default: return
    }
    switch asked.verdict(ruleset, later, RuleEvaluator()) {
    case .allowed: break
    case .needsSecondFactor: require(!signIn.hasSecondFactor, "a second factor is asked for after a sign-in")
    case .needsSignInRecord: require(false, "a record that was read is not asked for")
    default: require(verdict == .needsSignInRecord, "a step-up that is asked for suffices")
    }
}
