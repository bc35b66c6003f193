/// Why a text is no regular expression: where, what, and what to do about it.
struct RegexProblem: Error, Hashable {
    /// The place in the pattern, counted in Unicode scalars from 0.
    let offset: Int
    /// What is wrong, on one line.
    let what: String
    /// What to do about it, on one line.
    let remedy: String
}
