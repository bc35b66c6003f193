/// The reason that an expression has no value. It is thrown on the request path, so it is small and has no references.
package struct RuleFailure: Error {
    package enum Reason: UInt8, Sendable, CaseIterable {
        /// A missing key of a map, or an unknown member of a value.
        case noSuchMember
        /// A member or method of null, usually because there is no user.
        case null
        /// An operator or method that the values' kinds do not support.
        case wrongKind
        /// A condition, or an operand of `&&`, `||`, `!` or `?:`, that is not a boolean.
        case notBoolean
        case divisionByZero
        /// A result beyond 64 bits, or beyond the bounds of a time.
        case overflow
        case indexOutOfRange
        /// An argument outside of the function's domain.
        case invalidArgument
        /// A text that is not a number, boolean or path, or an invalid regular expression.
        case invalidText
        /// A value that rules cannot read.
        case unreadable
        /// More than `RuleLimits.expressions`. Ends the whole request.
        case tooManyExpressions
        /// More than `RuleLimits.work`. Ends the whole request.
        case tooMuchWork
        /// Beyond the deadline of `RuleRecorder`. Ends the whole request.
        case tooLate
        /// Deeper than `RuleLimits.callDepth`. Ends the whole request.
        case tooManyCalls
        /// The time of the last sign-in has to be read from the store first.
        case needsSignInRecord
        /// The time of the last sign-in cannot be read.
        case signInRecordUnavailable
    }

    package let reason: Reason
    /// The index of the failed expression in the program; -1 if the catching code provides it.
    var node: Int32

    init(_ reason: Reason, node: Int32 = -1) {
        self.reason = reason
        self.node = node
    }

    /// Whether the failure ends the request, regardless of other operands.
    var endsTheRequest: Bool {
        reason == .tooManyExpressions || reason == .tooMuchWork || reason == .tooManyCalls || reason == .tooLate
    }
}

/// The remaining budget of a request for work other than expressions.
package struct WorkBudget {
    package private(set) var left: Int

    package init(_ steps: Int = RuleLimits.work) {
        left = steps
    }

    /// Charges steps before they are performed.
    @inline(__always)
    package mutating func take(_ steps: Int) throws(RuleFailure) {
        guard steps <= left else {
            left = 0
            throw RuleFailure(.tooMuchWork)
        }
        left -= steps
    }

    /// Charges the cost of comparing, hashing or copying bytes.
    @inline(__always)
    mutating func take(bytes: Int) throws(RuleFailure) {
        try take(Self.steps(bytes: bytes))
    }

    /// Returns the cost: one step for each 16 bytes, and one for the remainder.
    @inline(__always)
    static func steps(bytes: Int) -> Int { bytes / 16 + 1 }
}

extension RuleFailure.Reason {
    /// The description for traces.
    var text: String {
        switch self {
        case .noSuchMember: "there is no such member"
        case .null: "null has no members"
        case .wrongKind: "the operation does not apply to values of these types"
        case .notBoolean: "neither true nor false"
        case .divisionByZero: "a division by zero"
        case .overflow: "the result is out of bounds"
        case .indexOutOfRange: "the index is out of range"
        case .invalidArgument: "an invalid argument"
        case .invalidText: "the text cannot be parsed as the requested type"
        case .unreadable: "the value is of a type that rules do not support"
        case .tooManyExpressions: "more than \(RuleLimits.expressions) expressions for one request"
        case .tooMuchWork: "more than \(RuleLimits.work) steps for one request"
        case .tooLate: "the time for the evaluation is over"
        case .tooManyCalls: "calls nest deeper than \(RuleLimits.callDepth)"
        case .needsSignInRecord: "the record of the last sign-in is not loaded"
        case .signInRecordUnavailable: "the record of the last sign-in cannot be read"
        }
    }
}
