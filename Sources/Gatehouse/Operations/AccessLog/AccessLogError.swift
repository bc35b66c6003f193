/// The access log cannot be opened.
public struct AccessLogError: Error, Equatable, CustomStringConvertible {
    /// The file.
    public let path: String
    /// The reason that the system gives.
    public let reason: String

    /// What happened and what to do.
    public var description: String {
        "cannot open the access log \(path): \(reason); create its folder, or let this user write there"
    }
}
