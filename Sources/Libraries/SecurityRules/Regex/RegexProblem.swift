/// Why a text is no regular expression: where, what, and what to do about it.
package struct RegexProblem: Error, Hashable {
    /// The place in the pattern, counted in Unicode scalars from 0.
    package let offset: Int
    /// What is wrong, on one line.
    package let what: String
    /// What to do about it, on one line.
    package let remedy: String
}
