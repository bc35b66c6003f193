/// The limits on regular expressions. A pattern beyond a limit does not compile. The cost of matching is charged to
/// the request.
enum RegexLimits {
    /// The maximum size of a pattern: 4 KiB.
    static let patternBytes = 4096
    /// The maximum nesting of groups.
    static let depth = 100
    /// The maximum number in `{n,m}`, as in RE2.
    static let repeats = 1000
    /// The maximum number of instructions of a pattern with expanded repeats, known before compilation.
    static let instructions = 10_000
    /// The maximum number of scalars and sets in a pattern for `WordMatcher`.
    static let wordPositions = 64
    /// The maximum number of instructions in a pattern for `WordMatcher`.
    static let wordInstructions = 512
    /// The steps for each byte of a pattern that is compiled during a request.
    static let compileStepsPerByte = 32
    /// The steps for a lookup of a non-ASCII scalar in Unicode tables, once for each position of the text.
    static let propertySteps = 16
}
