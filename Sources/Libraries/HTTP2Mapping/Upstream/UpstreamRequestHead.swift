package import HTTPWire
package import NIOHPACK

/// The head of a request to an upstream, converted from HTTP/1.1 to HTTP/2 (RFC 9113 section 8.3.1).
///
/// The HTTP/1.1 head is one that the gateway rendered. Each deviation from its form is an error nevertheless, so that
/// no message is sent whose meaning is uncertain.
package struct UpstreamRequestHead {
    /// The reason why a head cannot be sent.
    package enum Failure: Error, Equatable {
        /// The head is not a valid HTTP/1.1 request.
        case malformed
        /// A value is not UTF-8. The HPACK implementation would replace bytes of it.
        case notUTF8
        /// The request asks for an upgrade, which HTTP/2 does not have.
        case upgrade
        /// The encoded head may exceed one frame, or the list exceeds the size that the server accepts.
        case tooLarge
    }

    package let fields: HPACKHeaders
    /// The framing of the HTTP/1.1 body that follows.
    package let framing: BodyFraming
    package let isHeadRequest: Bool

    /// Converts a head.
    ///
    /// - Parameters:
    ///   - head: One head with its empty line.
    ///   - isSecure: Whether the scheme is `https`.
    ///   - listLimit: The maximum size of the field list (RFC 9113 section 6.5.2). `nil` without a limit.
    ///   - timeLeft: The value of `grpc-timeout`, in nanoseconds. `nil` to pass on the field unchanged.
    package init(
        _ head: UnsafeRawBufferPointer, isSecure: Bool, listLimit: Int? = nil, timeLeft: UInt64? = nil
    ) throws(Failure) {
        var lines = HeadLines(head)
        guard let first = lines.next(), let line = RequestLineParts(first) else { throw .malformed }
        var reader = Reader()
        while let line = lines.next() { try reader.read(line) }
        guard lines.isComplete else { throw .malformed }
        reader.dropNamedFields()
        if let timeLeft { reader.setTimeout(timeLeft) }
        let method = String(decoding: line.method, as: UTF8.self)
        var fields = HPACKHeaders()
        fields.reserveCapacity(reader.fields.count + 5)
        fields.add(name: ":method", value: method, indexing: Self.isStatic(method) ? .indexable : .nonIndexable)
        fields.add(name: ":scheme", value: isSecure ? "https" : "http")
        fields.add(name: ":path", value: String(decoding: line.target, as: UTF8.self), indexing: .neverIndexed)
        if let authority = reader.authority {
            fields.add(name: ":authority", value: authority, indexing: .nonIndexable)
        }
        // Never indexed: identity and credentials differ by user, and the streams of all users share one table.
        for (name, value) in reader.fields { fields.add(name: name, value: value, indexing: .neverIndexed) }
        if reader.isGRPC { fields.add(name: "te", value: "trailers", indexing: .nonIndexable) }
        guard FieldEncoding.maximumSize(of: fields) <= FieldEncoding.maximumHeadSize else { throw .tooLarge }
        if let listLimit, fields.listSize > listLimit { throw .tooLarge }
        self.fields = fields
        framing = try reader.framing()
        isHeadRequest = method == "HEAD"
    }

    /// Whether the static table has the method, so that it does not enter the dynamic table.
    private static func isStatic(_ method: String) -> Bool { method == "GET" || method == "POST" }
}

extension UpstreamRequestHead {
    /// Converts the trailer section of a chunked body, without its empty line.
    package static func trailers(_ section: UnsafeRawBufferPointer) throws(Failure) -> HPACKHeaders {
        var lines = HeadLines(section)
        var reader = Reader()
        while let line = lines.next() { try reader.read(line) }
        var trailers = HPACKHeaders()
        for (name, value) in reader.fields { trailers.add(name: name, value: value, indexing: .neverIndexed) }
        guard FieldEncoding.maximumSize(of: trailers) <= FieldEncoding.maximumHeadSize else { throw .tooLarge }
        return trailers
    }

    /// The fields of a head, with names in lower case.
    private struct Reader {
        var fields: [(name: String, value: String)] = []
        var authority: String?
        var isGRPC = false
        private var length: UInt64?
        private var isChunked = false
        /// The names in `Connection`, in lower case.
        private var named: Set<String> = []

        mutating func read(_ line: UnsafeRawBufferPointer) throws(Failure) {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .malformed }
            let bytes = UnsafeRawBufferPointer(rebasing: line[..<colon])
            guard ASCII.isToken(bytes) else { throw .malformed }
            let name = String(lowercasing: bytes)
            guard let value = String(utf8: HeadLines.trimmed(line, from: colon + 1)) else { throw .notUTF8 }
            guard FieldSyntax.isValue(value.utf8) else { throw .malformed }
            try add(name, value)
        }

        private mutating func add(_ name: String, _ value: String) throws(Failure) {
            switch name {
            case "host":
                guard authority == nil else { throw .malformed }
                authority = value
            case "connection": exclude(value)
            case "upgrade": throw .upgrade
            case "keep-alive", "proxy-connection", "http2-settings", "te": break
            case "transfer-encoding":
                guard value == "chunked", !isChunked else { throw .malformed }
                isChunked = true
            case "content-length":
                guard length == nil, let number = FieldSyntax.length(value.utf8) else { throw .malformed }
                length = number
                fields.append((name, value))
            case "content-type":
                isGRPC = isGRPC || GRPCType.matches(value.utf8)
                fields.append((name, value))
            default: fields.append((name, value))
            }
        }

        private mutating func exclude(_ options: String) {
            for option in options.split(separator: ",") {
                named.insert(option.filter { $0 != " " && $0 != "\t" }.lowercased())
            }
        }

        /// Removes the fields that `Connection` names.
        mutating func dropNamedFields() {
            guard !named.isEmpty else { return }
            let names = named
            fields.removeAll { names.contains($0.name) && $0.name != "content-length" }
        }

        /// Replaces `grpc-timeout`, if present.
        mutating func setTimeout(_ nanoseconds: UInt64) {
            for index in fields.indices where fields[index].name == "grpc-timeout" {
                fields[index].value = GRPCTimeout.text(nanoseconds: nanoseconds)
            }
        }

        func framing() throws(Failure) -> BodyFraming {
            guard isChunked else { return length.map { .length($0) } ?? .none }
            guard length == nil else { throw .malformed }
            return .chunked
        }
    }
}

extension HPACKHeaders {
    /// The size of the list as SETTINGS_MAX_HEADER_LIST_SIZE counts it.
    var listSize: Int { reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 32 } }
}

extension String {
    /// Creates a text from bytes. `nil` if they are not UTF-8.
    init?(utf8 bytes: UnsafeRawBufferPointer) {
        self.init(validating: bytes, as: UTF8.self)
    }
}
