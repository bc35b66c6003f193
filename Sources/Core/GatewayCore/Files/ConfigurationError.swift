import PrintableText

/// One error of a configuration: its location, the problem and the remedy.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The location of the error.
    package let location: SourceLocation
    /// The problem. It contains no secret: values are quoted as in the file, before substitution.
    package let what: String
    /// The remedy.
    package let remedy: String

    /// Creates an error.
    package init(location: SourceLocation, what: String, remedy: String) {
        self.location = location
        self.what = what
        self.remedy = remedy
    }

    /// `FILE:LINE:COLUMN: problem; remedy`, escaped to one line.
    package var description: String {
        PrintableText.escaped("\(location): \(what); \(remedy)")
    }
}

/// A warning about a valid configuration, in the form of a `ConfigurationError`.
package struct ConfigurationWarning: Sendable, Hashable, CustomStringConvertible {
    /// The location of the setting.
    package let location: SourceLocation
    /// The effect.
    package let what: String
    /// The remedy.
    package let remedy: String

    /// Creates a warning.
    package init(location: SourceLocation, what: String, remedy: String) {
        self.location = location
        self.what = what
        self.remedy = remedy
    }

    /// `FILE:LINE:COLUMN: warning: effect; remedy`, escaped to one line.
    package var description: String {
        PrintableText.escaped("\(location): warning: \(what); \(remedy)")
    }
}

/// All errors of one configuration, in the order of the file.
package struct ConfigurationErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// The maximum number of reported errors.
    package static let maximumCount = 50

    /// At least one error, at most `maximumCount`, in the order of the file.
    package let errors: [ConfigurationError]
    /// Whether there were more errors than `maximumCount`.
    package let isTruncated: Bool

    /// Sorts the errors and drops those beyond `maximumCount`.
    package init(_ errors: [ConfigurationError]) {
        let sorted = errors.sorted { $0.location < $1.location }
        self.errors = Array(sorted.prefix(Self.maximumCount))
        self.isTruncated = sorted.count > Self.maximumCount
    }

    /// One line for each error.
    package var description: String {
        let lines = errors.map(\.description)
        return (isTruncated ? lines + ["(more errors follow; these are the first)"] : lines).joined(separator: "\n")
    }
}
