internal import Yams

/// Composes the one YAML document of a file, going on where a mapping has a key twice.
///
/// Yams stops at the first mapping with a duplicate key and tells only where the key stands first. So that every error
/// of a file is reported, that first key is renamed in the text, in place and without moving anything, and the text
/// composed again; `key(of:)` gives the key as it was written.
struct YAMLDocument {
    /// The root value; nil in an empty file.
    private(set) var root: Node?
    /// One error for each key that had to be renamed, should the reader not find the duplicates itself.
    private(set) var duplicates: [ConfigurationError] = []
    private var renamed: [SourceLocation: Unicode.Scalar] = [:]
    private let source: SourceText
    private var scalars: [Unicode.Scalar]

    /// The scalars that may be composed again for the sake of further errors.
    private static let recomposingBudget = 4_194_304

    /// Composes a source that passed the `YAMLPrecheck`.
    init(_ source: SourceText) throws(ConfigurationErrors) {
        self.source = source
        self.scalars = source.scalars
        while true {
            switch attempt() {
            case .success(let root):
                self.root = root
                return
            case .failure(let error):
                guard try rename(after: error) else { throw ConfigurationErrors(duplicates) }
            }
        }
    }

    /// Where a value or key begins.
    func location(of node: Node) -> SourceLocation {
        SourceLocation(file: source.file, line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
    }

    /// A mapping's key as it was written; nil for one that is no scalar.
    func key(of node: Node) -> String? {
        guard let text = node.scalar?.string else { return nil }
        guard let first = renamed[location(of: node)] else { return text }
        return String(first) + String(text.unicodeScalars.dropFirst())
    }

    private func attempt() -> Result<Node?, any Error> {
        Result {
            let text = String(String.UnicodeScalarView(scalars))
            return try Parser(yaml: text, resolver: .basic, encoding: .utf8).singleRoot()
        }
    }

    /// Makes the first of two equal keys another one. False where that cannot be done, or was done often enough.
    private mutating func rename(after error: any Error) throws(ConfigurationErrors) -> Bool {
        guard case YamlError.duplicatedKeysInMapping(let keys, let context)? = error as? YamlError else {
            throw ConfigurationErrors([YAMLProblem.describe(error, file: source.file)] + duplicates)
        }
        let location = SourceLocation(file: source.file, line: context.mark.line, column: context.mark.column)
        duplicates.append(
            ConfigurationError(
                location: location, what: "duplicate key \(Quoted(keys.first ?? ""))", remedy: "keep one of them"))
        guard duplicates.count < ConfigurationErrors.maximumCount,
            duplicates.count * scalars.count <= Self.recomposingBudget, let index = firstIndex(ofKeyAt: location),
            let replacement = Unicode.Scalar(0xE000 + UInt32(duplicates.count))
        else { return false }
        renamed[location] = scalars[index]
        scalars[index] = replacement
        return true
    }

    private func firstIndex(ofKeyAt location: SourceLocation) -> Int? {
        var line = 1
        var index = 0
        while line < location.line, let end = scalars[index...].firstIndex(of: "\n") {
            line += 1
            index = end + 1
        }
        index += location.column - 1
        guard index < scalars.count else { return nil }
        switch scalars[index] {
        case "[", "{", "|", ">", "?", "!", "&", "*": return nil
        case "'", "\"": return index + 1
        default: return index
        }
    }
}
