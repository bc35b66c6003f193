import GatewayCore

/// A parser of templates. It rejects a template whose result is never canonical, regardless of the captures.
struct PathTemplateParser {
    private let text: [UInt8]
    private let pattern: RoutePattern
    private var position = 0
    private var pieces: [PathTemplate.Piece] = []
    private var captures = 0
    /// The template with a letter for each capture.
    private var sample: [UInt8] = []

    init(_ text: String, pattern: RoutePattern) {
        self.text = Array(text.utf8)
        self.pattern = pattern
    }

    mutating func run() throws(PathTemplateError) -> [PathTemplate.Piece] {
        guard text.first == PathBytes.slash else {
            throw PathTemplateError(what: "does not begin with '/'", remedy: "begin it with '/', as in /internal/{id}")
        }
        guard text.count <= PathTemplate.maximumLength else {
            throw PathTemplateError(
                what: "longer than \(PathTemplate.maximumLength) bytes", remedy: "shorten its literal segments")
        }
        while position < text.count { try readPiece() }
        try checkSample()
        return pieces
    }

    private mutating func readPiece() throws(PathTemplateError) {
        guard text[position] == UInt8(ascii: "{") else { return readLiteral() }
        let name = text[(position + 1)...].prefix { $0 != UInt8(ascii: "}") && $0 != PathBytes.slash }
        let end = position + 1 + name.count
        guard end < text.count, text[end] == UInt8(ascii: "}") else {
            throw PathTemplateError(
                what: "a '{' without a '}' in its segment",
                remedy: "write {NAME} for a capture, or %7B for a literal '{'")
        }
        try addCapture(String(decoding: name, as: UTF8.self), end: end + 1)
        position = end + 1
    }

    private mutating func readLiteral() {
        let bytes = text[position...].prefix { $0 != UInt8(ascii: "{") }
        pieces.append(.literal(Array(bytes)))
        sample += bytes
        position += bytes.count
    }

    private mutating func addCapture(_ name: String, end: Int) throws(PathTemplateError) {
        captures += 1
        guard captures <= PathTemplate.maximumCaptures else {
            throw PathTemplateError(
                what: "more than \(PathTemplate.maximumCaptures) captures",
                remedy: "capture several segments of the route's path as one {rest=**}")
        }
        sample.append(UInt8(ascii: "x"))
        if let place = place(of: name) {
            pieces.append(.segment(place))
        } else if case .named(name) = pattern.rest {
            guard text[position - 1] == PathBytes.slash, end == text.count || text[end] == PathBytes.slash else {
                throw PathTemplateError(
                    what: "'{\(name)}' can match several segments, but is not a whole segment",
                    remedy: "write '/' before it, and '/' or nothing after it")
            }
            pieces.append(.rest(from: pattern.segments.count))
        } else {
            throw unknown(name)
        }
    }

    private func place(of name: String) -> Int? {
        pattern.segments.firstIndex { segment in
            if case .capture(let captured) = segment { captured.utf8.elementsEqual(name.utf8) } else { false }
        }
    }

    private func unknown(_ name: String) -> PathTemplateError {
        let names = pattern.captureNames
        let remedy =
            names.isEmpty
            ? "the route's path has no captures; write a segment there as '{name}' or '{rest=**}'"
            : "the route's path has \(names.map { "{\($0)}" }.joined(separator: ", "))"
        return PathTemplateError(what: "no capture of the route is named \(Quoted(name))", remedy: remedy)
    }

    /// Returns the remedy for the first reason that the template is not canonical.
    private func remedyForSample() -> String {
        let text = String(decoding: text, as: UTF8.self)
        let segments = text.split(separator: "/", omittingEmptySubsequences: false)
        if let mark = text.first(where: { $0 == "?" || $0 == "#" }) {
            return "remove '\(mark)' and the text after it; the query of a request is kept"
        }
        if text.contains("//") { return "write '//' as '/'" }
        if segments.contains(".") || segments.contains("..") {
            return "write the path without '.' and '..' segments"
        }
        if text.uppercased().contains("%2F") || text.contains("%25") {
            return "remove %2F and %25, which servers decode differently"
        }
        return
            "percent-encode non-ASCII characters as %HH with upper-case digits, and write letters, digits, '-', '.', "
            + "'_' and '~' without escapes"
    }

    private static func occurs(_ escape: String, in path: UnsafeRawBufferPointer) -> Bool {
        path.indices.contains { path[$0...].starts(with: escape.utf8) }
    }

    private func checkSample() throws(PathTemplateError) {
        let isCanonical = sample.withUnsafeBytes { path in
            // The meaning of these two depends on the bytes after them.
            if Self.occurs("%2F", in: path) || Self.occurs("%25", in: path) { return false }
            do throws(PathError) {
                try PathTemplate.check(path, keepsEmptySegments: false)
                return true
            } catch {
                return false
            }
        }
        guard isCanonical else {
            throw PathTemplateError(what: "not a canonical path", remedy: remedyForSample())
        }
        guard !sample.withUnsafeBytes(ReservedPath.contains) else {
            throw PathTemplateError(what: "'/.gatehouse/' is reserved for the gateway", remedy: "choose another path")
        }
    }
}
