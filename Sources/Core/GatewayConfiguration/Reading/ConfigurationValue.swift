package import GatewayCore

/// A value of the file with its location, its name, and its text after substitution.
package struct ConfigurationValue {
    /// The YAML type of the value.
    package enum Content {
        case scalar(Scalar)
        case sequence([YAMLNode])
        case mapping([YAMLMember])
        /// An explicit null, if the key permits it.
        case null
        /// No value, since the substitution failed or the value is empty. The error has been reported.
        case failed
    }

    /// A text with its original form.
    package struct Scalar {
        /// The text after substitution.
        package let text: String
        /// The text in the file, which messages show.
        let written: String
        /// Whether the text is unquoted.
        package let isPlain: Bool
        let isSubstituted: Bool

        /// Whether the text can be a number or a boolean. In brackets, YAML permits `${NAME}` only in quotes.
        var isTyped: Bool { isPlain || isSubstituted }
    }

    let context: LoadingContext
    package let name: String
    package let location: SourceLocation
    package let content: Content

    /// Reads a value. Reports it if it is empty.
    ///
    /// - Parameters:
    ///   - permitted: The empty values that are valid here.
    ///   - keyLocation: The location of the value's key, if any.
    package init(
        _ node: YAMLNode, name: String, context: LoadingContext, permitting permitted: EmptyValues = [],
        keyLocation: SourceLocation? = nil
    ) {
        let location = node.location
        let content = Self.content(of: node, context)
        self.context = context
        self.name = name
        self.location = location
        guard let emptiness = content.emptiness, !permitted.contains(emptiness.kind) else {
            self.content = content
            return
        }
        // A value without characters has no location of its own.
        let place = emptiness.kind == .nothing ? keyLocation ?? location : location
        context.fail(place, "\(name.isEmpty ? "the file" : name) is \(emptiness.what)", emptiness.remedy)
        self.content = .failed
    }

    /// Whether this is an explicit null.
    var isNull: Bool {
        if case .null = content { true } else { false }
    }

    /// The text in the file, for messages. Substituted text is never shown.
    package var shown: Quoted {
        if case .scalar(let scalar) = content { Quoted(scalar.written) } else { Quoted("") }
    }

    /// Whether a part of the text was substituted.
    var isSubstituted: Bool {
        if case .scalar(let scalar) = content { scalar.isSubstituted } else { false }
    }

    /// Reports an error of this value and returns `nil`, for `return value.fail(...)`.
    package func fail<Result>(_ what: String, _ remedy: String) -> Result? {
        context.fail(location, what, remedy)
        return nil
    }

    /// Reports a warning about this value.
    func warn(_ what: String, _ remedy: String) {
        context.warn(location, what, remedy)
    }

    private static func content(of node: YAMLNode, _ context: LoadingContext) -> Content {
        switch node.content {
        case .mapping(let members): .mapping(members)
        case .sequence(let elements): .sequence(elements)
        case .scalar where isNull(node, context.substitution): .null
        case .scalar(let text, let isPlain): expanded(text, isPlain: isPlain, at: node.location, context)
        }
    }

    /// Returns whether a node is an unquoted `null`, or a reference whose default applies and is `null`.
    private static func isNull(_ node: YAMLNode, _ substitution: Substitution) -> Bool {
        guard case .scalar(let text, let isPlain) = node.content else { return false }
        return isPlain && ["~", "null", "Null", "NULL"].contains(text) || substitution.isNullByDefault(text)
    }

    private static func expanded(
        _ written: String, isPlain: Bool, at location: SourceLocation, _ context: LoadingContext
    ) -> Content {
        guard context.substitution.isNeeded(in: written) else {
            return .scalar(Scalar(text: written, written: written, isPlain: isPlain, isSubstituted: false))
        }
        do {
            let text = try context.substitution.expand(written)
            return .scalar(Scalar(text: text, written: written, isPlain: isPlain, isSubstituted: true))
        } catch {
            context.fail(location, error.what, error.remedy)
            return .failed
        }
    }
}

extension ConfigurationValue {
    /// Returns the elements of a sequence.
    package func sequence(permitting permitted: EmptyValues = []) -> [ConfigurationValue]? {
        switch content {
        case .sequence(let nodes):
            nodes.map { ConfigurationValue($0, name: "\(name)[]", context: context, permitting: permitted) }
        case .failed: nil
        default: fail("\(name) is not a list", "write [...], or one line with '- ' for each entry")
        }
    }

    /// Returns the elements of a sequence, or a single value.
    func oneOrMany() -> [ConfigurationValue]? {
        if case .scalar = content { return [self] }
        return sequence()
    }

    /// Returns a mapping with fixed keys.
    package func mapping(_ table: KnownKeys) -> MappingReader? {
        guard let mapping = anyMapping() else { return nil }
        return MappingReader(mapping, name: name, table: table, location: location, context: context)
    }

    /// Returns the entries of a mapping whose keys are names.
    package func entries(permitting permitted: EmptyValues = []) -> [MappingEntry]? {
        anyMapping().map { MappingEntry.read($0, in: name, context: context) { _ in permitted } }
    }

    /// Returns whether this is a mapping with that key and a value other than null.
    func hasMember(_ key: String) -> Bool {
        member(key).map { !Self.isNull($0, context.substitution) } ?? false
    }

    /// Returns whether this is a mapping with that key, and there with the other key and a value other than null.
    func hasMember(_ key: String, _ other: String) -> Bool {
        guard case .mapping(let members)? = member(key)?.content else { return false }
        return members.contains { $0.key == other && !Self.isNull($0.value, context.substitution) }
    }

    /// Returns the location of the other key in the mapping of the first one. `nil` if it is absent.
    func location(of key: String, _ other: String) -> SourceLocation? {
        guard case .mapping(let members)? = member(key)?.content else { return nil }
        return members.first { $0.key == other }?.keyLocation
    }

    /// Returns whether this is a mapping with that key and a mapping that is not empty.
    func hasEntries(under key: String) -> Bool {
        if case .mapping(let members)? = member(key)?.content { !members.isEmpty } else { false }
    }

    private func member(_ key: String) -> YAMLNode? {
        guard case .mapping(let members) = content else { return nil }
        return members.first { $0.key == key }?.value
    }

    private func anyMapping() -> [YAMLMember]? {
        switch content {
        case .mapping(let mapping): mapping
        case .failed: nil
        default:
            fail("\(name.isEmpty ? "the file" : name) is not a mapping", "write indented KEY: VALUE lines below it")
        }
    }

    /// Returns the scalar of this value. Reports an error that names `expected` if it is not a scalar.
    func scalar(_ expected: String) -> Scalar? {
        switch content {
        case .scalar(let scalar): scalar
        case .failed: nil
        default: fail("\(name) is not \(expected)", "write \(expected)")
        }
    }
}

/// The kinds of empty values.
///
/// An empty value is an error unless the documentation of the key defines a meaning (`KnownKeys.permitted`). A value
/// that a template or an empty variable omitted must not remove a restriction.
package struct EmptyValues: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// No characters: `key:`, possibly with its lines commented out. Never permitted.
    static let nothing = EmptyValues(rawValue: 1)
    /// An unquoted `null` or `~`.
    package static let null = EmptyValues(rawValue: 2)
    /// An empty or blank text, before or after substitution.
    package static let text = EmptyValues(rawValue: 4)
    /// `[]` or `{}`.
    package static let collection = EmptyValues(rawValue: 8)

    /// All empty values of JSON, for values that are data.
    package static let data: EmptyValues = [.null, .text, .collection]
}

/// The setting of a key in a mapping.
enum Setting {
    /// The key is absent.
    case absent
    /// The key is explicitly null, with a documented meaning.
    case null
    case value(ConfigurationValue)
}

extension ConfigurationValue.Content {
    /// The kind of an empty value with its description. `nil` if the value is not empty.
    var emptiness: (kind: EmptyValues, what: String, remedy: String)? {
        switch self {
        case .null: (.null, "null", "write a value, or remove it")
        case .scalar(let scalar) where scalar.isPlain && scalar.written.isEmpty:
            (.nothing, "empty", "write a value, or remove it")
        case .scalar(let scalar) where scalar.text.allSatisfy(\.isWhitespace):
            (.text, scalar.isSubstituted ? "empty after substitution" : "empty", "write a value, or remove it")
        case .sequence(let nodes) where nodes.isEmpty: (.collection, "an empty list", "add an entry, or remove the key")
        case .mapping(let mapping) where mapping.isEmpty:
            (.collection, "an empty mapping", "add an entry, or remove the key")
        case .scalar, .sequence, .mapping, .failed: nil
        }
    }
}
