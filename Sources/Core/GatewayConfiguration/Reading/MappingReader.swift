package import GatewayCore

/// The shared state of reading one file: the document, the substitution, and the collected errors.
package final class LoadingContext {
    /// The maximum number of errors, and of warnings, that are kept.
    private static let maximumKept = 1_000

    package let document: YAMLDocument
    let substitution: Substitution
    package private(set) var errors: [ConfigurationError]
    private(set) var warnings: [ConfigurationWarning] = []
    /// An error for those who open the store.
    var storeConflict: ConfigurationError?

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

/// A key and its value.
package struct MappingEntry {
    package let key: String
    let keyLocation: SourceLocation
    package let value: ConfigurationValue

    /// Reports an error of this key.
    func fail(_ what: String, _ remedy: String) {
        value.context.fail(keyLocation, what, remedy)
    }

    /// Reports a warning about this key.
    func warn(_ what: String, _ remedy: String) {
        value.context.warn(keyLocation, what, remedy)
    }

    /// Returns the entries of a mapping in the order of the file. Empty keys are reported and omitted.
    ///
    /// - Parameter permitted: The empty values that a key's value permits.
    static func read(
        _ members: [YAMLMember], in path: String, context: LoadingContext, permitting permitted: (String) -> EmptyValues
    ) -> [MappingEntry] {
        members.compactMap { member in
            guard !member.key.isEmpty || permitted(member.key).contains(.text) else {
                context.fail(member.keyLocation, "an empty key", "write KEY: VALUE")
                return nil
            }
            let name = path.isEmpty ? member.key : "\(path).\(Quoted(member.key).unquoted)"
            let value = ConfigurationValue(
                member.value, name: name, context: context, permitting: permitted(member.key),
                keyLocation: member.keyLocation)
            return MappingEntry(key: member.key, keyLocation: member.keyLocation, value: value)
        }
    }
}

/// A reader of a mapping with fixed keys. It reports unknown keys.
package struct MappingReader {
    package let context: LoadingContext
    /// The start of the mapping.
    let location: SourceLocation
    /// The name of the mapping in messages. Empty for the whole file.
    private let name: String
    private let table: KnownKeys
    private var entries: [String: MappingEntry] = [:]

    init(
        _ mapping: [YAMLMember], name: String, table: KnownKeys, location: SourceLocation, context: LoadingContext
    ) {
        self.context = context
        self.location = location
        self.name = name
        self.table = table
        let known = Self.withoutUnknown(mapping, name, table, context)
        for entry in MappingEntry.read(known, in: name, context: context, permitting: table.permitted) {
            entries[entry.key] = entry
        }
    }

    /// Returns the setting of a key.
    func setting(_ key: String) -> Setting {
        assert(table.supported.contains(key), "not in the table of keys")
        guard let value = entries[key]?.value else { return .absent }
        return value.isNull ? .null : .value(value)
    }

    /// Returns the value of a key. `nil` if it is absent or a permitted null.
    package func value(_ key: String) -> ConfigurationValue? {
        if case .value(let value) = setting(key) { value } else { nil }
    }

    /// Returns whether a key has a value. `false` also for a key that the mapping does not support.
    func hasValue(_ key: String) -> Bool {
        entries[key].map { !$0.value.isNull } ?? false
    }

    /// Returns the value of a required key. Reports its absence.
    package func required(_ key: String, _ remedy: String) -> ConfigurationValue? {
        if let value = value(key) { return value }
        fail(key, "\(name.isEmpty ? key : "\(name).\(key)") is missing", remedy)
        return nil
    }

    /// Returns the location of a key, or of the mapping if the key is absent.
    package func location(of key: String) -> SourceLocation {
        entries[key]?.keyLocation ?? location
    }

    /// Reports an error at a key, or at the mapping if the key is absent.
    func fail(_ key: String, _ what: String, _ remedy: String) {
        context.fail(location(of: key), what, remedy)
    }

    /// Reports a warning at a key, or at the mapping if the key is absent.
    func warn(_ key: String, _ what: String, _ remedy: String) {
        context.warn(location(of: key), what, remedy)
    }

    /// Sets the target to the result of `read` for the key's value. An absent or invalid value leaves it unchanged.
    package func set<Value>(_ target: inout Value, _ key: String, _ read: (ConfigurationValue) -> Value?) {
        if let value = value(key), let result = read(value) { target = result }
    }

    /// Sets an optional target in the same way. `null` clears it.
    package func set<Value>(_ target: inout Value?, _ key: String, _ read: (ConfigurationValue) -> Value?) {
        switch setting(key) {
        case .absent: break
        case .null: target = nil
        case .value(let value): if let result = read(value) { target = result }
        }
    }

    private static func withoutUnknown(
        _ members: [YAMLMember], _ name: String, _ table: KnownKeys, _ context: LoadingContext
    ) -> [YAMLMember] {
        members.compactMap { member in
            if table.contains(member.key) { return member }
            if let key = table.aliases[member.key] {
                guard members.contains(where: { $0.key == key }) else {
                    return YAMLMember(key: key, keyLocation: member.keyLocation, value: member.value)
                }
                context.fail(
                    member.keyLocation, "\(name).\(member.key) is another name of \(key), which is also set",
                    "remove one of them")
                return nil
            }
            context.fail(
                member.keyLocation, "unknown key \(Quoted(member.key))\(name.isEmpty ? "" : " in \(name)")",
                table.remedy(forUnknown: member))
            return nil
        }
    }
}

extension KnownKeys {
    fileprivate func remedy(forUnknown member: YAMLMember) -> String {
        if let remedy = ForeignKeys.remedy(for: member, in: path) { return remedy }
        if let meant = Spelling.suggestion(for: member.key, among: supported) { return "did you mean '\(meant)'?" }
        let near = supported.filter { $0.split(separator: "_").contains(Substring(member.key)) }
        if !near.isEmpty { return "did you mean \(near.map { "'\($0)'" }.joined(separator: " or "))?" }
        return "the supported keys are \(supported.joined(separator: ", "))"
    }
}
