package import GatewayCore

/// What reading one file needs everywhere: the document, the substitution, and where errors are put.
package final class LoadingContext {
    /// More errors than this are not kept.
    private static let maximumKept = 1_000

    package let document: YAMLDocument
    let substitution: Substitution
    package private(set) var errors: [ConfigurationError]
    private(set) var warnings: [ConfigurationWarning] = []

    package init(document: YAMLDocument, substitution: Substitution) {
        self.document = document
        errors = document.duplicates
        self.substitution = substitution
    }

    package func fail(_ location: SourceLocation, _ what: String, _ remedy: String) {
        guard errors.count < Self.maximumKept else { return }
        errors.append(ConfigurationError(location: location, what: what, remedy: remedy))
    }

    func warn(_ location: SourceLocation, _ what: String, _ remedy: String) {
        guard warnings.count < Self.maximumKept else { return }
        warnings.append(ConfigurationWarning(location: location, what: what, remedy: remedy))
    }
}
