extension RuleFailure.Reason {
    /// What is wrong, in words for traces.
    var text: String {
        switch self {
        case .noSuchMember: "there is no such member"
        case .null: "null has no members"
        case .wrongKind: "values of these kinds have no such operation"
        case .notBoolean: "neither true nor false"
        case .divisionByZero: "a division by zero"
        case .overflow: "the result is out of bounds"
        case .indexOutOfRange: "the index is out of range"
        case .invalidArgument: "an argument that it does not take"
        case .invalidText: "the text cannot be read as that"
        case .unreadable: "the value cannot be read by rules"
        case .tooManyExpressions: "more than \(RuleLimits.expressions) expressions for one request"
        case .tooMuchWork: "more than \(RuleLimits.work) steps for one request"
        case .tooManyCalls: "calls deeper than \(RuleLimits.callDepth)"
        case .needsSignInRecord: "the record of the last sign-in was not read yet"
        case .signInRecordUnavailable: "the record of the last sign-in cannot be read"
        }
    }
}
