/// A command that could not do what it was asked: exit code 1, and these lines on standard error.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ error: any Error) {
        description = "\(error)"
    }

    /// - Parameter what: what is wrong; what to do.
    init(_ what: String) {
        description = what
    }
}
