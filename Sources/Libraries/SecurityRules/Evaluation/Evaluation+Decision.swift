extension Evaluation {
    /// Decides a request. If it is denied, also determines whether another sign-in would permit it.
    ///
    /// - Parameter lane: The lane in which results are counted, except those under assumptions. `nil` for none.
    mutating func decide(_ program: Program, lane: Int?) -> RuleVerdict {
        recorder?.beginRuleset()
        signIn.forget()
        observe(program, lane: lane)
        let verdict = query(program)
        if case .allowed(let rule, _) = verdict { counters?.countPermit(rule) }
        stopCounting()
        guard case .denied(let denial) = verdict, denial.reason != .limit else { return verdict }
        return stepUp(program) ?? verdict
    }

    /// Evaluates the rules of the path and operation until one is true.
    mutating func query(_ program: Program) -> RuleVerdict {
        guard bindings != nil else { return .denied(RuleDenial(.noRule)) }
        guard !path.isTooLong else { return .denied(RuleDenial(.limit)) }
        var results = RuleResults()
        // The condition of a route is in no block.
        if program.matches.blocks.isEmpty {
            query(0..<Int32(program.rules.count), captures: 0, program, &results)
        } else {
            queryBlocks(program, &results)
        }
        return results.verdict
    }

    private mutating func queryBlocks(_ program: Program, _ results: inout RuleResults) {
        guard let operation else { return }
        var number = 0
        while number < program.matches.blocks.count, !results.isDecided {
            let block = program.matches.blocks[number]
            guard block.allOperations.contains(operation), program.matches.begins(block, path) else {
                number = Int(block.next)
                continue
            }
            if block.operations.contains(operation), program.matches.isWhole(block, path) {
                query(block.rules, captures: Int(block.captures.lowerBound), program, &results)
            }
            number += 1
        }
    }

    private mutating func query(
        _ rules: Range<Int32>, captures: Int, _ program: Program, _ results: inout RuleResults
    ) {
        forgetCaptures()
        self.captures = captures
        for number in rules where !results.isDecided {
            let rule = program.rules[Int(number)]
            // The condition of a route applies to all methods.
            if let operation, !rule.operations.contains(operation) { continue }
            recorder?.begin(rule: Int(number))
            results.record(Int(number), query(rule, program))
        }
    }

    private mutating func query(_ rule: Program.Rule, _ program: Program) -> RuleResults.Outcome {
        guard rule.condition >= 0 else { return .yes(signedInAt: nil) }
        signIn.usedRecord = nil
        forgetLocals()
        do throws(RuleFailure) {
            return try truth(rule.condition, program) ? .yes(signedInAt: signIn.usedRecord) : .no
        } catch {
            return .failed(error)
        }
    }
}

extension Evaluation {
    /// Returns the sign-in that would permit the request. `nil` if no sign-in would.
    ///
    /// Each assumption is evaluated with its own limits. There are at most two for each duration in conditions, and
    /// four more.
    mutating func stepUp(_ program: Program) -> RuleVerdict? {
        let (recency, factor) = (signIn.wasNotRecent, signIn.lackedSecondFactor)
        guard recency || factor, isSignedIn() else { return nil }
        let limits = (expressionsLeft, work)
        defer {
            (expressionsLeft, work) = limits
            signIn.assumedAge = nil
            signIn.assumesSecondFactor = false
        }
        if recency, let verdict = recentSignInThatSuffices(program) { return verdict }
        if factor {
            switch query(program, age: nil, secondFactor: true) {
            case .allowed(let rule, _): return .needsSecondFactor(rule: rule)
            // The store lookup then determines the missing sign-in.
            case .needsSignInRecord: return .needsSignInRecord
            case .signInRecordUnavailable: return .signInRecordUnavailable
            default: break
            }
        }
        return signIn.lackedSecondFactor ? recentSignInThatSuffices(program, secondFactor: true) : nil
    }

    /// Returns the greatest sufficient age of the sign-in, among the durations in conditions.
    private mutating func recentSignInThatSuffices(_ program: Program, secondFactor: Bool = false) -> RuleVerdict? {
        guard let rule = allows(program, age: 0, secondFactor: secondFactor) else { return nil }
        for age in signIn.ages.sorted(by: >) {
            if let rule = allows(program, age: age, secondFactor: secondFactor) {
                return .needsRecentSignIn(maxAge: age, rule: rule)
            }
        }
        return .needsRecentSignIn(maxAge: 0, rule: rule)
    }

    /// Returns the rule that is true under an assumption.
    private mutating func allows(_ program: Program, age: Int64?, secondFactor: Bool) -> Int? {
        guard case .allowed(let rule, _) = query(program, age: age, secondFactor: secondFactor) else { return nil }
        return rule
    }

    /// Evaluates the rules under an assumption.
    private mutating func query(_ program: Program, age: Int64?, secondFactor: Bool) -> RuleVerdict {
        renewLimits()
        signIn.assumedAge = age
        signIn.assumesSecondFactor = secondFactor
        recorder?.begin(.assuming(signedInAgo: age, secondFactor: secondFactor))
        return query(program)
    }
}

/// The results of the rules so far.
struct RuleResults {
    enum Outcome {
        case yes(signedInAt: Int64?)
        case no
        case failed(RuleFailure)
    }

    private var allowed: RuleVerdict?
    private var denial = RuleDenial(.noRule)
    private var recordFailure: RuleFailure.Reason?

    /// Whether no further rule has to be evaluated.
    var isDecided: Bool { allowed != nil || denial.reason == .limit }

    mutating func record(_ rule: Int, _ outcome: Outcome) {
        switch outcome {
        case .yes(let signedInAt): allowed = .allowed(rule: rule, signedInAt: signedInAt)
        case .no:
            if denial.reason != .conditionFailed { denial = RuleDenial(.conditionIsFalse, rule: rule) }
        case .failed(let failure):
            if failure.endsTheRequest {
                denial = RuleDenial(.limit, rule: rule)
            } else {
                if denial.reason != .conditionFailed { denial = RuleDenial(.conditionFailed, rule: rule) }
                if failure.isOfSignInRecord { recordFailure = failure.reason }
            }
        }
    }

    var verdict: RuleVerdict {
        if let allowed { return allowed }
        if denial.reason == .limit { return .denied(denial) }
        switch recordFailure {
        case .needsSignInRecord: return .needsSignInRecord
        case .signInRecordUnavailable: return .signInRecordUnavailable
        default: return .denied(denial)
        }
    }
}
