import PrintableText

/// One thing wrong with a configuration: where, what, and what to do about it.
package struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where it stands.
    package let location: SourceLocation
    /// What is wrong. Never holds a secret: values are quoted as they stand in the file, before substitution.
    package let what: String
    /// What to do about it.
    package let remedy: String

    /// An error at a place.
    package init(location: SourceLocation, what: String, remedy: String) {
        self.location = location
        self.what = what
        self.remedy = remedy
    }

    /// `FILE:LINE:COLUMN: what; what to do`, on one line whatever is in its parts.
    package var description: String {
        PrintableText.escaped("\(location): \(what); \(remedy)")
    }
}

/// Something that loads and that its author should nevertheless know, in the form of a `ConfigurationError`.
package struct ConfigurationWarning: Sendable, Hashable, CustomStringConvertible {
    /// Where it stands.
    package let location: SourceLocation
    /// What will happen.
    package let what: String
    /// What to do about it.
    package let remedy: String

    /// A warning about a place.
    package init(location: SourceLocation, what: String, remedy: String) {
        self.location = location
        self.what = what
        self.remedy = remedy
    }

    /// `FILE:LINE:COLUMN: warning: what; what to do`, on one line whatever is in its parts.
    package var description: String {
        PrintableText.escaped("\(location): warning: \(what); \(remedy)")
    }
}

/// Everything wrong with one configuration, in the order of the file.
package struct ConfigurationErrors: Error, Sendable, Hashable, CustomStringConvertible {
    /// How many errors of one configuration are reported at most.
    package static let maximumCount = 50

    /// At least one error, at most `maximumCount`, in the order of the file.
    package let errors: [ConfigurationError]
    /// Whether there were more errors than `maximumCount`.
    package let isTruncated: Bool

    /// The errors of one configuration, in any order; those beyond `maximumCount` are dropped.
    package init(_ errors: [ConfigurationError]) {
        let sorted = errors.sorted { $0.location < $1.location }
        self.errors = Array(sorted.prefix(Self.maximumCount))
        self.isTruncated = sorted.count > Self.maximumCount
    }

    /// One line an error.
    package var description: String {
        let lines = errors.map(\.description)
        return (isTruncated ? lines + ["(more errors follow; these are the first)"] : lines).joined(separator: "\n")
    }
}
