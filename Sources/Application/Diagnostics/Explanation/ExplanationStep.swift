/// One step of an account: what was looked at, and what came of it.
package struct ExplanationStep: Sendable, Equatable {
    /// What came of a step.
    package enum Mark: Sendable, Equatable {
        /// It holds.
        case passed
        /// It does not, and alone is reason enough to refuse.
        case failed
        /// It could not be found out.
        case unknown
        /// It decides nothing: a remark, or something that this route does not ask.
        case note
    }

    /// What came of it.
    package let mark: Mark
    /// What was looked at, in one or two words.
    package let name: String
    /// Why, on one line. Text of a request is shown with everything but printable characters escaped.
    package let detail: String

    init(_ mark: Mark, _ name: String, _ detail: String) {
        self.mark = mark
        self.name = name
        self.detail = detail
    }
}
