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

/// The arguments of a call: at most four, in place.
struct Arguments {
    private var first = RuleValue.null
    private var second = RuleValue.null
    private var third = RuleValue.null
    private var fourth = RuleValue.null
    private(set) var count = 0

    /// The most arguments of a method or function of the language.
    static let limit = 4

    mutating func append(_ value: RuleValue) {
        switch count {
        case 0: first = value
        case 1: second = value
        case 2: third = value
        default: fourth = value
        }
        count += 1
    }

    subscript(_ index: Int) -> RuleValue {
        switch index {
        case 0: first
        case 1: second
        case 2: third
        default: fourth
        }
    }
}
