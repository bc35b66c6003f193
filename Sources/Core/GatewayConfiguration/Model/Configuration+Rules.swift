package import GatewayCore

extension Configuration {
    /// An expression in the language of security rules, as it stands in the configuration.
    package struct RulesExpression: Sendable, Hashable {
        /// The most bytes that it may have: 8 KiB.
        package static let maximumSize = 8_192

        /// As it is written.
        package var text: String
        /// Where it stands.
        package var location: SourceLocation

        /// An expression at a place.
        package init(_ text: String, location: SourceLocation) {
            self.text = text
            self.location = location
        }

        /// What logs call it: `FILE:LINE`.
        package var label: String { location.line == 0 ? location.file : "\(location.file):\(location.line)" }
    }

    /// The file of rules that apply to every route that authenticates (`rules`). What it holds is checked by who asks it.
    package struct RulesFile: Sendable, Hashable {
        /// The file's path; a relative one starts at the working directory.
        package var path: String
        /// Where it is named.
        package var location: SourceLocation

        /// A file that is named at a place.
        package init(path: String, location: SourceLocation) {
            self.path = path
            self.location = location
        }
    }
}
