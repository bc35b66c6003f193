package import GatewayCore

/// A value of a YAML document.
package struct YAMLNode {
    enum Content {
        /// A text, and whether it was unquoted.
        case scalar(String, isPlain: Bool)
        case sequence([YAMLNode])
        /// The members in the order of the file.
        case mapping([YAMLMember])
    }

    let content: Content
    let location: SourceLocation
}

/// A key of a mapping with its value.
package struct YAMLMember {
    let key: String
    let keyLocation: SourceLocation
    let value: YAMLNode
}

/// The YAML document of a file, without anchors, aliases, tags, directives, and keys that are not texts.
///
/// They are rejected in the parser's events, so that no syntax can hide them and no alias is expanded. Depth, number
/// of values and time are bounded.
package struct YAMLDocument {
    /// The maximum nesting of values.
    static let maximumDepth = 64
    /// The maximum number of values in a file.
    static let maximumNodes = 500_000
    /// The maximum number of lines that begin with `%`. Directives are rejected in any case, but libyaml compares
    /// each with all earlier ones.
    private static let maximumDirectives = 16
    /// The maximum duration of reading a document.
    package static let timeLimit = Duration.seconds(10)

    /// The root value. `nil` for an empty file.
    package let root: YAMLNode?
    /// An error for each duplicate key. Such keys are omitted.
    let duplicates: [ConfigurationError]

    /// Reads a document.
    ///
    /// - Parameter timeLimit: The maximum duration.
    package init(_ source: SourceText, timeLimit: Duration = timeLimit) throws(ConfigurationErrors) {
        if let error = Self.excess(in: source) { throw ConfigurationErrors([error]) }
        let bytes = Array(String(String.UnicodeScalarView(source.scalars)).utf8)
        var composer = YAMLComposer(YAMLEvents(bytes, file: source.file), end: .now + timeLimit)
        do throws(ConfigurationError) {
            root = try composer.document()
        } catch {
            throw ConfigurationErrors(composer.refused + [error])
        }
        guard composer.refused.isEmpty else { throw ConfigurationErrors(composer.refused) }
        duplicates = composer.duplicates
    }

    /// Returns the error for the first line that begins with `%` if there are too many such lines. LF is the only
    /// line end of a source text.
    private static func excess(in source: SourceText) -> ConfigurationError? {
        var (line, count) = (1, 0)
        var first: Int?
        var previous: Unicode.Scalar = "\n"
        for scalar in source.scalars {
            if scalar == "%", previous == "\n" {
                first = first ?? line
                count += 1
            }
            if scalar == "\n" { line += 1 }
            previous = scalar
        }
        guard let first, count > maximumDirectives else { return nil }
        return directiveError(at: SourceLocation(file: source.file, line: first, column: 1))
    }

    fileprivate static func directiveError(at location: SourceLocation) -> ConfigurationError {
        ConfigurationError(location: location, what: "a YAML directive ('%')", remedy: "remove it")
    }
}

/// A builder of values from events.
private struct YAMLComposer {
    private let events: YAMLEvents
    private let end: ContinuousClock.Instant
    private var nodes = 0
    private(set) var refused: [ConfigurationError] = []
    private(set) var duplicates: [ConfigurationError] = []

    init(_ events: YAMLEvents, end: ContinuousClock.Instant) {
        self.events = events
        self.end = end
    }

    mutating func document() throws(ConfigurationError) -> YAMLNode? {
        var root: YAMLNode?
        var hasDocument = false
        while true {
            let event = try events.next()
            switch event.kind {
            case .streamEnd: return root
            case .documentStart(let hasDirectives):
                if hasDocument { throw error(event, "a second YAML document", "keep one document in the file") }
                if hasDirectives { refuse(YAMLDocument.directiveError(at: event.location)) }
                hasDocument = true
                root = try node(try events.next(), depth: 0)
            default: break
            }
        }
    }

    private mutating func node(_ event: YAMLEvent, depth: Int) throws(ConfigurationError) -> YAMLNode {
        nodes += 1
        if nodes > YAMLDocument.maximumNodes { throw error(event, "more than 500000 values", "split the file") }
        if nodes % 256 == 1, ContinuousClock.now > end {
            throw error(event, "the file takes too long to parse", "reduce its size or nesting")
        }
        if depth > YAMLDocument.maximumDepth { throw YAMLProblem.tooDeep(at: event.location) }
        refuseProperties(of: event)
        switch event.kind {
        case .scalar(let text, let isPlain):
            return YAMLNode(content: .scalar(text, isPlain: isPlain), location: event.location)
        case .sequenceStart:
            return YAMLNode(content: .sequence(try elements(depth: depth + 1)), location: event.location)
        case .mappingStart:
            return YAMLNode(content: .mapping(try members(depth: depth + 1)), location: event.location)
        default:
            return YAMLNode(content: .scalar("", isPlain: true), location: event.location)
        }
    }

    private mutating func elements(depth: Int) throws(ConfigurationError) -> [YAMLNode] {
        var elements: [YAMLNode] = []
        while true {
            let event = try events.next()
            if case .sequenceEnd = event.kind { return elements }
            elements.append(try node(event, depth: depth))
        }
    }

    private mutating func members(depth: Int) throws(ConfigurationError) -> [YAMLMember] {
        var members: [YAMLMember] = []
        var seen: Set<String> = []
        while true {
            let event = try events.next()
            if case .mappingEnd = event.kind { return members }
            let key = try node(event, depth: depth)
            let value = try node(try events.next(), depth: depth)
            guard case .scalar(let text, _) = key.content else {
                refuse(error(event, "a key that is not a string", "write KEY: VALUE"))
                continue
            }
            guard seen.insert(text).inserted else {
                duplicates.append(error(event, "duplicate key \(Quoted(text))", "remove one of them"))
                continue
            }
            members.append(YAMLMember(key: text, keyLocation: key.location, value: value))
        }
    }

    private mutating func refuseProperties(of event: YAMLEvent) {
        if case .alias = event.kind { return refuse(YAMLProblem.refusal(of: .alias, at: event.location)) }
        if event.hasAnchor { return refuse(YAMLProblem.refusal(of: .anchor, at: event.location)) }
        if event.hasTag { refuse(YAMLProblem.refusal(of: .tag, at: event.location)) }
    }

    /// Collects an error, up to one more than are reported.
    private mutating func refuse(_ error: ConfigurationError) {
        if refused.count <= ConfigurationErrors.maximumCount { refused.append(error) }
    }

    private func error(_ event: YAMLEvent, _ what: String, _ remedy: String) -> ConfigurationError {
        ConfigurationError(location: event.location, what: what, remedy: remedy)
    }
}
