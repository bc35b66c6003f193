/// Everything that rules can call and have not declared themselves: methods of values, functions of a namespace, and functions.
enum Builtin: UInt8, Sendable, CaseIterable {
    // Methods; which kinds have them is told by `overloads`.
    case size, lower, upper, trim, replace, split, matches, toUtf8
    case concat, join, hasAll, hasAny, hasOnly, removeAll, toSet
    case union, intersection, difference
    case keys, values, get, diff
    case addedKeys, removedKeys, changedKeys, unchangedKeys, affectedKeys
    case toBase64, toHexString
    case year, month, day, hours, minutes, seconds, nanos, dayOfWeek, dayOfYear, date, time, toMillis
    case bind

    // Functions of a namespace.
    case mathAbs, mathCeil, mathFloor, mathRound, mathPow, mathSqrt, mathIsNaN, mathIsInfinite
    case hashingMD5, hashingSHA256, hashingCRC32, hashingCRC32C
    case timestampDate, timestampValue
    case durationValue, durationTime, durationAbs

    // Functions.
    case toInteger, toFloat, toString, toBool, toPath, debug
    /// Whether the user proved who they are at most that long ago.
    case recentSignIn
    /// Whether the user signed in with a second factor.
    case secondFactor
}

/// One way to call something.
struct Overload: Sendable {
    /// What it is a method of; nil for functions.
    var receiver: KindSet?
    var parameters: [KindSet]
    /// How many of the parameters there have to be.
    var required: Int
    var result: KindSet

    init(_ receiver: KindSet?, _ parameters: [KindSet], optional: Int = 0, _ result: KindSet) {
        self.receiver = receiver
        self.parameters = parameters
        required = parameters.count - optional
        self.result = result
    }
}
