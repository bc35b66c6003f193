/// What a regular expression may cost. Beyond a limit of the pattern it does not compile; what matching costs is charged to the request's work.
enum RegexLimits {
    /// The most bytes of a pattern: 4 KiB.
    static let patternBytes = 4096
    /// How deep groups may nest.
    static let depth = 100
    /// The most that `{n,m}` may name (RE2's bound).
    static let repeats = 1000
    /// The most instructions that a pattern may compile to, repeats written out; known before any are made.
    static let instructions = 10_000
    /// The most scalars, and sets of scalars, of a pattern that is matched by one machine word.
    static let wordPositions = 64
    /// The most instructions of such a pattern.
    static let wordInstructions = 512
    /// Steps for each byte of a pattern that is compiled for a request.
    static let compileStepsPerByte = 32
    /// Steps for looking up a scalar beyond ASCII in the tables of Unicode, once a place of the text.
    static let propertySteps = 16
}
