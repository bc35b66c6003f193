import CLibyaml
import GatewayCore

/// An event of libyaml's parser.
struct YAMLEvent {
    enum Kind {
        case streamEnd, documentEnd, sequenceEnd, mappingEnd, other
        case documentStart(hasDirectives: Bool)
        case alias
        case scalar(String, isPlain: Bool)
        case sequenceStart
        case mappingStart
    }

    let kind: Kind
    let hasAnchor: Bool
    let hasTag: Bool
    let location: SourceLocation
}

/// The events of one text, from libyaml's parser, whose memory it owns.
///
/// Working with events reveals every anchor and tag in any position, and aliases are not expanded.
final class YAMLEvents {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let text: UnsafeMutableBufferPointer<UInt8>
    private let file: String
    private let isReady: Bool
    /// The last quoted text that spans several lines: its start, and the index of its last line.
    private var longQuote: (start: SourceLocation, lastLine: Int)?

    /// Creates a parser.
    ///
    /// - Parameter file: The name of the file in locations.
    init(_ bytes: [UInt8], file: String) {
        self.file = file
        text = .allocate(capacity: bytes.count)
        _ = text.initialize(from: bytes)
        parser = .allocate(capacity: 1)
        parser.initialize(to: yaml_parser_t())
        isReady = yaml_parser_initialize(parser) == 1
        guard isReady else { return }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
    }

    deinit {
        if isReady { yaml_parser_delete(parser) }
        parser.deallocate()
        text.deallocate()
    }

    /// Returns the next event.
    ///
    /// - Throws: An error if the text is not valid YAML.
    func next() throws(ConfigurationError) -> YAMLEvent {
        var event = yaml_event_t()
        guard isReady, yaml_parser_parse(parser, &event) == 1 else {
            throw YAMLProblem.describe(parser.pointee, file: file, after: longQuote)
        }
        defer { yaml_event_delete(&event) }
        if event.type == YAML_SCALAR_EVENT, event.end_mark.line > event.start_mark.line,
            [YAML_SINGLE_QUOTED_SCALAR_STYLE, YAML_DOUBLE_QUOTED_SCALAR_STYLE].contains(event.data.scalar.style)
        {
            longQuote = (SourceLocation(event.start_mark, file: file), Int(event.end_mark.line))
        }
        let (anchor, tag) = Self.properties(of: event)
        return YAMLEvent(
            kind: Self.kind(of: event), hasAnchor: anchor, hasTag: tag,
            location: SourceLocation(event.start_mark, file: file))
    }

    private static func kind(of event: yaml_event_t) -> YAMLEvent.Kind {
        switch event.type {
        case YAML_STREAM_END_EVENT: .streamEnd
        case YAML_DOCUMENT_START_EVENT:
            .documentStart(
                hasDirectives: event.data.document_start.version_directive != nil
                    || event.data.document_start.tag_directives.start != event.data.document_start.tag_directives.end)
        case YAML_DOCUMENT_END_EVENT: .documentEnd
        case YAML_ALIAS_EVENT: .alias
        case YAML_SCALAR_EVENT:
            .scalar(text(of: event), isPlain: event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE)
        case YAML_SEQUENCE_START_EVENT: .sequenceStart
        case YAML_SEQUENCE_END_EVENT: .sequenceEnd
        case YAML_MAPPING_START_EVENT: .mappingStart
        case YAML_MAPPING_END_EVENT: .mappingEnd
        default: .other
        }
    }

    private static func text(of event: yaml_event_t) -> String {
        String(
            decoding: UnsafeBufferPointer(start: event.data.scalar.value, count: event.data.scalar.length),
            as: UTF8.self)
    }

    private static func properties(of event: yaml_event_t) -> (anchor: Bool, tag: Bool) {
        switch event.type {
        case YAML_SCALAR_EVENT: (event.data.scalar.anchor != nil, event.data.scalar.tag != nil)
        case YAML_SEQUENCE_START_EVENT: (event.data.sequence_start.anchor != nil, event.data.sequence_start.tag != nil)
        case YAML_MAPPING_START_EVENT: (event.data.mapping_start.anchor != nil, event.data.mapping_start.tag != nil)
        default: (false, false)
        }
    }
}

extension SourceLocation {
    init(_ mark: yaml_mark_t, file: String) {
        self.init(file: file, line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }
}

/// Conversion of libyaml's errors to configuration errors.
enum YAMLProblem {
    /// Returns the error of the parser.
    ///
    /// - Parameter quote: The last quoted text of several lines. If the error is in the line of its end, the end is
    ///   probably the start of the next quoted text.
    static func describe(
        _ parser: yaml_parser_t, file: String, after quote: (start: SourceLocation, lastLine: Int)?
    ) -> ConfigurationError {
        let problem = parser.problem.map { String(cString: $0) } ?? "unreadable"
        let context = parser.context.map { String(cString: $0) } ?? ""
        if let kind = refused[context] {
            return refusal(of: kind, at: SourceLocation(parser.context_mark, file: file))
        }
        let location =
            parser.error == YAML_READER_ERROR
            ? SourceLocation(file: file, line: 1, column: 1) : SourceLocation(parser.problem_mark, file: file)
        if context == "while scanning a quoted scalar", problem == "found unexpected end of stream" {
            return unclosedQuote(at: SourceLocation(parser.context_mark, file: file), "does not end")
        }
        if let quote, quote.lastLine == Int(parser.problem_mark.line) {
            return unclosedQuote(at: quote.start, "ends only in line \(quote.lastLine + 1)")
        }
        if problem.hasPrefix("Maximum nesting level") { return tooDeep(at: location) }
        return ConfigurationError(location: location, what: "not valid YAML (\(problem))", remedy: remedy(for: problem))
    }

    private static func unclosedQuote(at location: SourceLocation, _ end: String) -> ConfigurationError {
        ConfigurationError(
            location: location, what: "not valid YAML (the quoted text that begins here \(end))",
            remedy: "close the quote in this line; write '' for a ' within single quotes")
    }

    /// YAML features that are rejected, because they repeat values or cost more than their size.
    enum Refused: Character {
        case anchor = "&"
        case alias = "*"
        case tag = "!"
    }

    static func refusal(of kind: Refused, at location: SourceLocation) -> ConfigurationError {
        let name =
            switch kind {
            case .anchor: "anchors"
            case .alias: "aliases"
            case .tag: "tags"
            }
        return ConfigurationError(
            location: location, what: "YAML \(name) ('\(kind.rawValue)') are not allowed",
            remedy: "quote strings that begin with '\(kind.rawValue)'")
    }

    static func tooDeep(at location: SourceLocation) -> ConfigurationError {
        ConfigurationError(
            location: location, what: "nested deeper than \(YAMLDocument.maximumDepth) levels",
            remedy: "close the brackets")
    }

    /// The contexts of libyaml's errors for rejected features.
    private static let refused: [String: Refused] = [
        "while scanning an anchor": .anchor, "while scanning an alias": .alias, "while scanning a tag": .tag,
        "while parsing a tag": .tag,
    ]

    private static func remedy(for problem: String) -> String {
        switch problem {
        case "mapping values are not allowed in this context":
            "check the indentation, and quote strings with ': '"
        case "could not find expected ':'": "write KEY: VALUE"
        case "found unexpected end of stream": "close the open bracket"
        case "found character that cannot start any token": "quote the string; indent with spaces, not tabs"
        case "did not find expected ',' or '}'", "did not find expected ',' or ']'":
            "check the brackets, and quote ${...} within them"
        default: "check the indentation, the quotes and the brackets"
        }
    }
}
