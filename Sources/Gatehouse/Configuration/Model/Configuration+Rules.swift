extension Configuration {
    /// An expression in the language of security rules, as it stands in the configuration.
    public struct RulesExpression: Sendable, Hashable {
        /// The most bytes that it may have: 8 KiB.
        public static let maximumSize = 8_192

        /// As it is written.
        public var text: String
        /// Where it stands.
        public var location: SourceLocation

        /// An expression at a place.
        public init(_ text: String, location: SourceLocation) {
            self.text = text
            self.location = location
        }

        /// What logs call it: `FILE:LINE`.
        public var label: String { location.line == 0 ? location.file : "\(location.file):\(location.line)" }
    }

    /// The file of rules that apply to every route that authenticates (`rules`). What it holds is checked by who asks it.
    public struct RulesFile: Sendable, Hashable {
        /// The file's path; a relative one starts at the working directory.
        public var path: String
        /// Where it is named.
        public var location: SourceLocation

        /// A file that is named at a place.
        public init(path: String, location: SourceLocation) {
            self.path = path
            self.location = location
        }
    }
}
