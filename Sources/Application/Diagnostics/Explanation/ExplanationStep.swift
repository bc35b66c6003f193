/// One step of an explanation: a check and its result.
package struct ExplanationStep: Sendable, Equatable {
    /// The result of a step.
    package enum Mark: Sendable, Equatable {
        /// The check succeeded.
        case passed
        /// The check failed, which is sufficient for a denial.
        case failed
        /// The result could not be determined.
        case unknown
        /// The step has no effect: a remark, or a check that the route does not require.
        case note
    }

    /// The result.
    package let mark: Mark
    /// The name of the check, one or two words.
    package let name: String
    /// The reason on one line. Unprintable characters of a request's text are escaped.
    package let detail: String

    init(_ mark: Mark, _ name: String, _ detail: String) {
        self.mark = mark
        self.name = name
        self.detail = detail
    }
}
