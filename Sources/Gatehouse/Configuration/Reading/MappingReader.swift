internal import Yams

/// One key and its value.
struct MappingEntry {
    let key: String
    let keyLocation: SourceLocation
    let value: ConfigurationValue

    /// The entries of a mapping in the order of the file; keys that are no text or that stand there twice are reported
    /// and left out.
    static func read(_ mapping: Node.Mapping, in path: String, context: LoadingContext) -> [MappingEntry] {
        var seen: Set<String> = []
        return mapping.compactMap { keyNode, node in
            let location = context.document.location(of: keyNode)
            guard let key = context.document.key(of: keyNode) else {
                context.fail(location, "a key that is not a text", "write KEY: VALUE")
                return nil
            }
            guard seen.insert(key).inserted else {
                context.failForDuplicate(location, key)
                return nil
            }
            let name = path.isEmpty ? key : "\(path).\(Quoted(key).unquoted)"
            return MappingEntry(
                key: key, keyLocation: location, value: ConfigurationValue(node, name: name, context: context))
        }
    }
}

/// A mapping with fixed keys: it reports those that do not exist, and gives out the others.
struct MappingReader {
    let context: LoadingContext
    /// Where the mapping begins.
    let location: SourceLocation
    /// What messages call it; empty for the whole file.
    private let name: String
    private let table: KnownKeys
    private var entries: [String: MappingEntry] = [:]

    init(
        _ mapping: Node.Mapping, name: String, table: KnownKeys, location: SourceLocation, context: LoadingContext
    ) {
        self.context = context
        self.location = location
        self.name = name
        self.table = table
        let known = Self.withoutUnknown(mapping, name, table, context)
        for entry in MappingEntry.read(known, in: name, context: context) {
            entries[entry.key] = entry
        }
    }

    /// The value of a key; nil where it is absent or null.
    func value(_ key: String) -> ConfigurationValue? {
        assert(table.supported.contains(key), "not in the table of keys")
        guard let value = entries[key]?.value, !value.isNull else { return nil }
        return value
    }

    /// The value of a key that has to be there; reports its absence.
    func required(_ key: String, _ remedy: String) -> ConfigurationValue? {
        if let value = value(key) { return value }
        context.fail(location(of: key), "\(name.isEmpty ? key : "\(name).\(key)") is missing", remedy)
        return nil
    }

    /// Whether the key is there and says null.
    func isNull(_ key: String) -> Bool {
        entries[key]?.value.isNull ?? false
    }

    /// Refuses a key that stands there with nothing behind it, for what a request is asked by: rules that a comment or an empty variable took away
    /// would be rules that nobody misses. Who wants none leaves the key out, or writes `null`.
    func refuseEmpty(_ key: String, _ remedy: String) {
        guard let value = entries[key]?.value, case .scalar(let scalar) = value.content, scalar.isPlain,
            scalar.text.isEmpty
        else { return }
        context.fail(location(of: key), "\(value.name) is empty", remedy)
    }

    /// Where the key stands; where it does not, where the mapping begins.
    func location(of key: String) -> SourceLocation {
        entries[key]?.keyLocation ?? location
    }

    /// Sets the target to what `read` makes of the key's value; leaves it where there is none, or none that is valid.
    func set<Value>(_ target: inout Value, _ key: String, _ read: (ConfigurationValue) -> Value?) {
        if let value = value(key), let result = read(value) { target = result }
    }

    /// The same for an optional target.
    func set<Value>(_ target: inout Value?, _ key: String, _ read: (ConfigurationValue) -> Value?) {
        if let value = value(key), let result = read(value) { target = result }
    }

    private static func withoutUnknown(
        _ mapping: Node.Mapping, _ name: String, _ table: KnownKeys, _ context: LoadingContext
    ) -> Node.Mapping {
        let pairs = mapping.filter { keyNode, _ in
            guard let key = context.document.key(of: keyNode), !table.contains(key) else { return true }
            context.fail(
                context.document.location(of: keyNode),
                "unknown key \(Quoted(key))\(name.isEmpty ? "" : " in \(name)")",
                table.remedy(forUnknown: key))
            return false
        }
        return Node.Mapping(pairs.map { ($0.key, $0.value) })
    }
}

extension KnownKeys {
    fileprivate func remedy(forUnknown key: String) -> String {
        if let meant = Spelling.suggestion(for: key, among: supported) { return "did you mean '\(meant)'?" }
        return "the keys here are \(supported.joined(separator: ", "))"
    }
}
