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
