package import NIOCore
package import NIOHPACK

/// The head of an upstream's response, converted from HTTP/2 to HTTP/1.1 (RFC 9113 section 8.3.2).
package struct UpstreamResponseHead: Equatable {
    /// The reason why a response is invalid.
    package enum Failure: String, Error {
        case status = "the :status is missing, repeated or not three digits"
        case pseudoHeader = "a pseudo-header is unknown or out of order"
        case fieldName = "a field name is invalid"
        case fieldValue = "a field value is invalid"
        case notUTF8 = "a field is not UTF-8"
        case connectionField = "the response has a connection-specific field"
        case contentLength = "the content-length is invalid or repeated"
        case interim = "an interim response ends the stream, or has a body"
        case switchingProtocols = "the status is 101"
        case tooManyFields = "the response has too many fields"
        case bodyLength = "the body does not have the length of content-length"
        case unexpectedBody = "a response without a body has one"
        case order = "frames are out of order"
    }

    /// The body that follows.
    package enum Body: Equatable {
        /// No byte of a body may follow.
        case none
        case length(UInt64)
        /// A body of unknown length, in chunks for HTTP/1.1.
        case chunked
    }

    /// 100 to 999.
    package let status: Int
    package let body: Body

    package var isInterim: Bool { status < 200 }

    /// The maximum number of fields of a head or a trailer section.
    package static let maximumFields = 255

    /// Checks a head and appends it to `output` as HTTP/1.1.
    ///
    /// The head has `Connection: close`, because the stream serves no further request.
    ///
    /// - Parameters:
    ///   - endsStream: Whether no body and no trailers follow.
    ///   - isHeadRequest: Whether the response is to HEAD.
    package init(
        _ fields: HPACKHeaders, endsStream: Bool, isHeadRequest: Bool, into output: inout ByteBuffer
    ) throws(Failure) {
        guard fields.count <= Self.maximumFields else { throw .tooManyFields }
        var status: Int?
        var length: UInt64?
        for (index, (name, value, _)) in fields.enumerated() {
            if name.utf8.first == UInt8(ascii: ":") {
                guard name == ":status" else { throw .pseudoHeader }
                guard index == 0, let number = Self.status(value) else { throw .status }
                status = number
            } else if try Self.check(name, value), name == "content-length" {
                guard length == nil, let number = FieldSyntax.length(value.utf8) else { throw .contentLength }
                length = number
            }
        }
        guard let status else { throw .status }
        self.status = status
        body = try Self.body(status, length, endsStream: endsStream, isHeadRequest: isHeadRequest)
        write(fields, declaresLength: length != nil, isHeadRequest: isHeadRequest, to: &output)
    }

    /// Checks the trailer section of a response.
    package static func checkTrailers(_ fields: HPACKHeaders) throws(Failure) {
        guard fields.count <= maximumFields else { throw .tooManyFields }
        for (name, value, _) in fields {
            guard name.utf8.first != UInt8(ascii: ":") else { throw .pseudoHeader }
            _ = try check(name, value)
        }
    }

    private static func status(_ value: String) -> Int? {
        guard value.utf8.count == 3, let number = FieldSyntax.length(value.utf8), number >= 100 else { return nil }
        return Int(number)
    }

    /// Checks a regular field.
    private static func check(_ name: String, _ value: String) throws(Failure) -> Bool {
        // NIO replaces bytes that are not UTF-8 by U+FFFD.
        guard !name.unicodeScalars.contains("\u{FFFD}"), !value.unicodeScalars.contains("\u{FFFD}") else {
            throw .notUTF8
        }
        guard FieldSyntax.isName(name.utf8) else { throw .fieldName }
        guard !FieldSyntax.isConnectionSpecific(name) else { throw .connectionField }
        // Whitespace around a value is tolerated, as in HTTP/1.1. gRPC messages may end with a space.
        guard FieldSyntax.isValue(trimmed(value)) else { throw .fieldValue }
        return true
    }

    private static func trimmed(_ value: String) -> Substring.UTF8View {
        var text = value[...].utf8
        while let first = text.first, first == 0x20 || first == 0x09 { text.removeFirst() }
        while let last = text.last, last == 0x20 || last == 0x09 { text.removeLast() }
        return text
    }

    private static func body(
        _ status: Int, _ length: UInt64?, endsStream: Bool, isHeadRequest: Bool
    ) throws(Failure) -> Body {
        if status < 200 {
            guard status != 101 else { throw .switchingProtocols }
            guard !endsStream, (length ?? 0) == 0 else { throw .interim }
            return .none
        }
        if isHeadRequest || status == 204 || status == 304 { return .none }
        if let length {
            guard length == 0 || !endsStream else { throw .bodyLength }
            return .length(length)
        }
        return endsStream ? .length(0) : .chunked
    }

    private func write(
        _ fields: HPACKHeaders, declaresLength: Bool, isHeadRequest: Bool, to output: inout ByteBuffer
    ) {
        output.writeStaticString("HTTP/1.1 ")
        output.writeString("\(status)")
        output.writeStaticString(" \r\n")
        for (name, value, _) in fields where name != ":status" {
            // RFC 9110 section 8.6: no Content-Length with 1xx and 204.
            if name == "content-length", status < 200 || status == 204 { continue }
            output.writeFieldLine(name, value)
        }
        guard !isInterim else {
            output.writeStaticString("\r\n")
            return
        }
        switch body {
        case .none: break
        case .length:
            if !declaresLength { output.writeStaticString("Content-Length: 0\r\n") }
        case .chunked: output.writeStaticString("Transfer-Encoding: chunked\r\n")
        }
        output.writeStaticString("Connection: close\r\n\r\n")
    }
}
