extension Evaluation {
    /// What rules say of the request: as it is, and where it may not pass, whether another sign-in would change that.
    mutating func decide(_ program: Program) -> RuleVerdict {
        recorder?.beginRuleset()
        signIn.forget()
        let verdict = ask(program)
        guard case .denied(let denial) = verdict, denial.reason != .limit else { return verdict }
        return stepUp(program) ?? verdict
    }

    /// Asks all rules that the path and operation have, until one is true.
    mutating func ask(_ program: Program) -> RuleVerdict {
        guard bindings != nil else { return .denied(RuleDenial(.noRule)) }
        guard !path.isTooLong else { return .denied(RuleDenial(.limit)) }
        var answers = Answers()
        // A route's condition stands in no block.
        if program.matches.blocks.isEmpty {
            ask(0..<Int32(program.rules.count), captures: 0, program, &answers)
        } else {
            askBlocks(program, &answers)
        }
        return answers.verdict
    }

    private mutating func askBlocks(_ program: Program, _ answers: inout Answers) {
        guard let operation else { return }
        var number = 0
        while number < program.matches.blocks.count, !answers.isDecided {
            let block = program.matches.blocks[number]
            guard block.allOperations.contains(operation), program.matches.begins(block, path) else {
                number = Int(block.next)
                continue
            }
            if block.operations.contains(operation), program.matches.isWhole(block, path) {
                ask(block.rules, captures: Int(block.captures.lowerBound), program, &answers)
            }
            number += 1
        }
    }

    private mutating func ask(
        _ rules: Range<Int32>, captures: Int, _ program: Program, _ answers: inout Answers
    ) {
        forgetCaptures()
        self.captures = captures
        for number in rules where !answers.isDecided {
            let rule = program.rules[Int(number)]
            // A route's condition is asked whatever the method is.
            if let operation, !rule.operations.contains(operation) { continue }
            recorder?.begin(rule: Int(number))
            answers.note(Int(number), ask(rule, program))
        }
    }

    private mutating func ask(_ rule: Program.Rule, _ program: Program) -> Answers.Answer {
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

/// What rules answered so far.
struct Answers {
    enum Answer {
        case yes(signedInAt: Int64?)
        case no
        case failed(RuleFailure)
    }

    private var allowed: RuleVerdict?
    private var denial = RuleDenial(.noRule)
    private var recordFailure: RuleFailure.Reason?

    /// Whether no further rule has to be asked.
    var isDecided: Bool { allowed != nil || denial.reason == .limit }

    mutating func note(_ rule: Int, _ answer: Answer) {
        switch answer {
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
