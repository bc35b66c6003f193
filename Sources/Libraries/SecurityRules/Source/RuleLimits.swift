/// The limits on rules. A source beyond a limit does not load. A request beyond a limit is denied.
///
/// Limits that Cloud Firestore documents have the same values here.
public enum RuleLimits {
    /// The maximum nesting of `match` blocks.
    public static let matchDepth = 10
    /// The maximum number of segments of a pattern, including enclosing ones, and of a path.
    public static let pathSegments = 100
    /// The maximum number of captures of a pattern, including enclosing ones.
    public static let captures = 20
    /// The maximum depth of function calls.
    public static let callDepth = 20
    /// The maximum number of parameters of a function.
    public static let parameters = 7
    /// The maximum number of `let`s of a function.
    public static let lets = 10
    /// The maximum number of expressions that are evaluated for a request.
    public static let expressions = 1000

    // Limits without an equivalent in Cloud Firestore, on the source and on a request.

    /// The maximum nesting of expressions. A chain of `&&` or of `||` is one level.
    public static let expressionDepth = 64
    /// The maximum number of expressions in a source.
    public static let sourceExpressions = 32_768
    /// The maximum number of instructions of all literal regular expressions in a source, with expanded repeats.
    public static let patternInstructions = 200_000
    /// The maximum number of functions, of `match` blocks, and of `allow` statements, in a source.
    public static let declarations = 4096
    /// The maximum number of steps of a request other than expressions: elements or bytes that are processed or
    /// created, and states of regular expressions.
    public static let work = 1_000_000
    /// The maximum number of distinct durations of `recentSignIn` that are tried to find a sufficient age.
    public static let signInAges = 8
    /// The maximum number of Unicode scalars of a value in a trace or message.
    public static let textLength = 200

    /// The remedy for a source beyond a limit.
    static let remedy = "share conditions in functions, or move conditions of one path to allow of its route"
}
