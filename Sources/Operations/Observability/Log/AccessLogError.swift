/// The access log cannot be opened.
package struct AccessLogError: Error, Equatable, CustomStringConvertible {
    /// The file.
    package let path: String
    /// The reason that the system gives.
    package let reason: String

    /// What happened and what to do.
    package var description: String {
        "cannot open the access log \(path): \(reason); create its folder, or let this user write there"
    }
}
