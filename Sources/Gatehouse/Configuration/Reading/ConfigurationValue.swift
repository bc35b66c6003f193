internal import Yams

/// One value of the file: where it stands, what it is called, and its text after substitution.
struct ConfigurationValue {
    /// What kind of YAML it is.
    enum Content {
        case scalar(Scalar)
        case sequence([Node])
        case mapping(Node.Mapping)
        /// A text whose substitution failed; that has been reported.
        case failed
    }

    /// A text and how it was written.
    struct Scalar {
        /// After substitution.
        let text: String
        /// As it stands in the file: what messages show.
        let written: String
        /// Without quotes.
        let isPlain: Bool
        let isSubstituted: Bool

        /// Whether it may be a number or a truth value: inside of brackets, YAML allows `${NAME}` only in quotes.
        var isTyped: Bool { isPlain || isSubstituted }

        /// `null`, `~` or nothing; also what a substitution left empty. A secret that happens to be `null` is none.
        var isNull: Bool {
            isPlain && (text.isEmpty || (!isSubstituted && Self.nullWords.contains(text)))
        }

        static let nullWords = ["", "~", "null", "Null", "NULL"]
    }

    let context: LoadingContext
    let name: String
    let location: SourceLocation
    let content: Content

    init(_ node: Node, name: String, context: LoadingContext) {
        self.context = context
        self.name = name
        self.location = context.document.location(of: node)
        switch node {
        case .mapping(let mapping): content = .mapping(mapping)
        case .sequence(let sequence): content = .sequence(Array(sequence))
        case .scalar(let scalar): content = Self.expanded(scalar, at: location, context)
        case .alias: content = .failed
        }
    }

    var isNull: Bool {
        if case .scalar(let scalar) = content { scalar.isNull } else { false }
    }

    /// The value as it stands in the file, for messages: what a substitution brought in is never shown.
    var shown: Quoted {
        if case .scalar(let scalar) = content { Quoted(scalar.written) } else { Quoted("") }
    }

    /// Reports what is wrong with this value and returns nil, for `return value.fail(...)`.
    func fail<Result>(_ what: String, _ remedy: String) -> Result? {
        context.fail(location, what, remedy)
        return nil
    }

    private static func expanded(_ scalar: Node.Scalar, at location: SourceLocation, _ context: LoadingContext)
        -> Content
    {
        let isPlain = scalar.style == .plain
        guard !context.substitution.isOff, Substitution.isNeeded(in: scalar.string) else {
            return .scalar(
                Scalar(text: scalar.string, written: scalar.string, isPlain: isPlain, isSubstituted: false))
        }
        do {
            let text = try context.substitution.expand(scalar.string)
            return .scalar(Scalar(text: text, written: scalar.string, isPlain: isPlain, isSubstituted: true))
        } catch {
            context.fail(location, error.what, error.remedy)
            return .failed
        }
    }
}

extension ConfigurationValue {
    /// The elements of a sequence.
    func sequence() -> [ConfigurationValue]? {
        switch content {
        case .sequence(let nodes): nodes.map { ConfigurationValue($0, name: "\(name)[]", context: context) }
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
    func mapping(_ table: KnownKeys) -> MappingReader? {
        guard let mapping = anyMapping() else { return nil }
        return MappingReader(mapping, name: name, table: table, location: location, context: context)
    }

    /// The entries of a mapping whose keys are names.
    func entries() -> [MappingEntry]? {
        anyMapping().map { MappingEntry.read($0, in: name, context: context) }
    }

    /// Whether this is a mapping with that key, set to anything but null.
    func hasMember(_ key: String) -> Bool {
        guard case .mapping(let mapping) = content else { return false }
        return mapping.contains { keyNode, node in
            context.document.key(of: keyNode) == key
                && !(node.scalar.map { $0.style == .plain && Scalar.nullWords.contains($0.string) } ?? false)
        }
    }

    /// Whether this is a mapping with that key, set to a mapping that is not empty.
    func hasEntries(under key: String) -> Bool {
        guard case .mapping(let mapping) = content else { return false }
        return mapping.contains { keyNode, node in
            context.document.key(of: keyNode) == key && node.mapping?.isEmpty == false
        }
    }

    private func anyMapping() -> Node.Mapping? {
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
