package import GatewayCore

/// One value of the file: where it stands, what it is called, and its text after substitution.
package struct ConfigurationValue {
    /// What kind of YAML it is.
    package enum Content {
        case scalar(Scalar)
        case sequence([YAMLNode])
        case mapping([YAMLMember])
        /// An explicit null, where the key may be null.
        case null
        /// No value: the text could not be completed, or it is empty. That has been reported.
        case failed
    }

    /// A text and how it was written.
    package struct Scalar {
        /// After substitution.
        package let text: String
        /// As it stands in the file: what messages show.
        let written: String
        /// Without quotes.
        package let isPlain: Bool
        let isSubstituted: Bool

        /// Whether it may be a number or a truth value: inside of brackets, YAML allows `${NAME}` only in quotes.
        var isTyped: Bool { isPlain || isSubstituted }
    }

    let context: LoadingContext
    package let name: String
    package let location: SourceLocation
    package let content: Content

    /// Reads a value, and reports one that is empty.
    ///
    /// - Parameters:
    ///   - permitted: which empty values are values here.
    ///   - keyLocation: where the key stands, if the value has one.
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
        // A value of no characters has no place of its own.
        let place = emptiness.kind == .nothing ? keyLocation ?? location : location
        context.fail(place, "\(name.isEmpty ? "the file" : name) is \(emptiness.what)", emptiness.remedy)
        self.content = .failed
    }

    /// Whether this is an explicit null.
    var isNull: Bool {
        if case .null = content { true } else { false }
    }

    /// The value as it stands in the file, for messages: what a substitution brought in is never shown.
    package var shown: Quoted {
        if case .scalar(let scalar) = content { Quoted(scalar.written) } else { Quoted("") }
    }

    /// Whether a substitution brought a part of the text in.
    var isSubstituted: Bool {
        if case .scalar(let scalar) = content { scalar.isSubstituted } else { false }
    }

    /// Reports what is wrong with this value and returns nil, for `return value.fail(...)`.
    package func fail<Result>(_ what: String, _ remedy: String) -> Result? {
        context.fail(location, what, remedy)
        return nil
    }

    /// Warns of this value.
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

    /// Whether a node is the word `null`, without quotes, or a reference whose default is that word and applies.
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
    /// The elements of a sequence.
    package func sequence(permitting permitted: EmptyValues = []) -> [ConfigurationValue]? {
        switch content {
        case .sequence(let nodes):
            nodes.map { ConfigurationValue($0, name: "\(name)[]", context: context, permitting: permitted) }
        case .failed: nil
        default: fail("\(name) is not a list", "write [...] or one '- ' line an entry")
        }
    }

    /// The elements of a sequence, or the value alone.
    func oneOrMany() -> [ConfigurationValue]? {
        if case .scalar = content { return [self] }
        return sequence()
    }

    /// A mapping with fixed keys.
    package func mapping(_ table: KnownKeys) -> MappingReader? {
        guard let mapping = anyMapping() else { return nil }
        return MappingReader(mapping, name: name, table: table, location: location, context: context)
    }

    /// The entries of a mapping whose keys are names.
    package func entries(permitting permitted: EmptyValues = []) -> [MappingEntry]? {
        anyMapping().map { MappingEntry.read($0, in: name, context: context) { _ in permitted } }
    }

    /// Whether this is a mapping with that key, set to anything but null.
    func hasMember(_ key: String) -> Bool {
        member(key).map { !Self.isNull($0, context.substitution) } ?? false
    }

    /// Whether this is a mapping with that key, set to a mapping that is not empty.
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
            fail("\(name.isEmpty ? "the file" : name) is not a mapping", "write KEY: VALUE lines, indented below it")
        }
    }

    /// The scalar of this value, which should be `expected`.
    func scalar(_ expected: String) -> Scalar? {
        switch content {
        case .scalar(let scalar): scalar
        case .failed: nil
        default: fail("\(name) is not \(expected)", "write \(expected)")
        }
    }
}

/// The ways in which a key can be there without a value.
///
/// Each is an error, unless the key's documentation gives it a meaning (`KnownKeys.permitted`): a value that a template or
/// an empty variable left out must not lift what it was to restrict.
package struct EmptyValues: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// No characters: `key:`, perhaps with its lines commented out. Never permitted.
    static let nothing = EmptyValues(rawValue: 1)
    /// `null` or `~`, without quotes.
    package static let null = EmptyValues(rawValue: 2)
    /// A text of no characters or of white space, as it stands there or after substitution.
    package static let text = EmptyValues(rawValue: 4)
    /// `[]` or `{}`.
    package static let collection = EmptyValues(rawValue: 8)

    /// All that JSON has, for values that are data.
    package static let data: EmptyValues = [.null, .text, .collection]
}

/// What a mapping has for one of its keys.
enum Setting {
    /// The key is not there.
    case absent
    /// The key is there and explicitly null, which its documentation gives a meaning.
    case null
    case value(ConfigurationValue)
}

extension ConfigurationValue.Content {
    /// In which way a value is empty, in words too; nil where it is not.
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
