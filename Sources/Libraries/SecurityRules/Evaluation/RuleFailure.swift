/// Why an expression has no value. Thrown and caught on the request path: small, and without references.
package struct RuleFailure: Error {
    package enum Reason: UInt8, Sendable, CaseIterable {
        /// A map has no such key, a value no such member.
        case noSuchMember
        /// A member, or a method, of null: nobody is signed in, mostly.
        case null
        /// An operator or method that the values' kinds do not have.
        case wrongKind
        /// A condition, or an operand of `&&`, `||`, `!` or `?:`, that is neither true nor false.
        case notBoolean
        case divisionByZero
        /// Beyond 64 bits, or beyond the bounds of a time.
        case overflow
        case indexOutOfRange
        /// An argument outside of what the function takes.
        case invalidArgument
        /// A text that is no number, Boolean or path, or a pattern that is no regular expression.
        case invalidText
        /// The value is one that rules cannot read.
        case unreadable
        /// More than `RuleLimits.expressions`: ends the whole request.
        case tooManyExpressions
        /// More than `RuleLimits.work`: ends the whole request.
        case tooMuchWork
        /// Deeper than `RuleLimits.callDepth`: ends the whole request.
        case tooManyCalls
        /// The time of the last sign-in has to be read from the store first.
        case needsSignInRecord
        /// The time of the last sign-in cannot be read.
        case signInRecordUnavailable
    }

    package let reason: Reason
    /// The expression that failed, by its place in the program; -1: who caught it knows.
    var node: Int32

    init(_ reason: Reason, node: Int32 = -1) {
        self.reason = reason
        self.node = node
    }

    /// Whether nothing may go on, whatever another operand says.
    var endsTheRequest: Bool {
        reason == .tooManyExpressions || reason == .tooMuchWork || reason == .tooManyCalls
    }
}

/// What a request may still cost beyond its expressions.
package struct WorkBudget {
    package private(set) var left: Int

    package init(_ steps: Int = RuleLimits.work) {
        left = steps
    }

    /// Takes steps before they are made.
    @inline(__always)
    package mutating func take(_ steps: Int) throws(RuleFailure) {
        guard steps <= left else {
            left = 0
            throw RuleFailure(.tooMuchWork)
        }
        left -= steps
    }

    /// Takes what it costs to compare, hash or copy bytes.
    @inline(__always)
    mutating func take(bytes: Int) throws(RuleFailure) {
        try take(Self.steps(bytes: bytes))
    }

    /// A step for every 16 bytes, and one for the rest.
    @inline(__always)
    static func steps(bytes: Int) -> Int { bytes / 16 + 1 }
}

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
