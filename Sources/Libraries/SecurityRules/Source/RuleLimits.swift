/// What rules may cost. Beyond a limit of the text, rules do not load; beyond one of a request, the request is not allowed.
///
/// Those that Cloud Firestore documents have its values (its page on quotas).
public enum RuleLimits {
    /// How deep `match` blocks may nest.
    public static let matchDepth = 10
    /// The most segments of a pattern, nested ones together, and of a path.
    public static let pathSegments = 100
    /// The most captures of a pattern, nested ones together.
    public static let captures = 20
    /// How deep functions may call each other.
    public static let callDepth = 20
    /// The most parameters of a function.
    public static let parameters = 7
    /// The most `let`s of a function.
    public static let lets = 10
    /// The most expressions that are evaluated for a request.
    public static let expressions = 1000

    // Ours: the values of the text and of a request are bounded too.

    /// How deep expressions may nest in the text; chains of `&&` and of `||` are one level.
    public static let expressionDepth = 64
    /// The most expressions that a source may have in all.
    public static let sourceExpressions = 32_768
    /// The most parts that the regular expressions that are written in a source may have, repeats written out, all of them together.
    public static let patternInstructions = 200_000
    /// The most functions of a source, and the most `allow` statements.
    public static let declarations = 4096
    /// The most steps of a request beyond its expressions: elements or bytes that an operation looks at or makes, and states of a regular expression.
    public static let work = 1_000_000
    /// The most different durations of `recentSignIn` that are tried to tell how recent a sign-in would suffice.
    public static let signInAges = 8
    /// The most Unicode scalars of a value in a trace or message.
    public static let textLength = 200
}
