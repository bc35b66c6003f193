/// A completed part of a trace (OpenTelemetry trace data model).
package struct Span: Sendable {
    /// The role of the gateway in the operation. Raw values are of OTLP's `SpanKind`.
    package enum Kind: UInt8, Sendable {
        case `internal` = 1
        case server = 2
        case client = 3
    }

    /// 128 bits, not zero.
    let trace: (UInt64, UInt64)
    /// Not zero.
    let id: UInt64
    /// The ID of the parent. 0 if the trace begins with this span.
    let parent: UInt64
    /// The flags of `traceparent`, and whether the parent is in another process (`SpanFlags` of OTLP).
    let flags: UInt32
    let kind: Kind
    let name: String
    /// In nanoseconds since 1970.
    let start: UInt64
    let end: UInt64
    let attributes: [SpanAttribute]
    /// Whether the operation failed.
    let isError: Bool
}

/// An attribute of a span. Names are of OpenTelemetry's semantic conventions, or begin with `gatehouse.`.
package struct SpanAttribute: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
        case text(String)
        case number(Int64)
    }

    /// The maximum size of a text in bytes. Longer ones are truncated.
    package static let longestText = 1_024

    let name: String
    let value: Value

    /// Creates an attribute. A text is truncated to 1,024 bytes.
    package init(_ name: StaticString, _ text: String) {
        self.name = "\(name)"
        value = .text(Self.truncated(text))
    }

    /// Creates an attribute with a number.
    package init(_ name: StaticString, _ number: some BinaryInteger) {
        self.name = "\(name)"
        value = .number(Int64(clamping: number))
    }

    /// Returns at most the first 1,024 bytes, without an incomplete character.
    private static func truncated(_ text: String) -> String {
        guard text.utf8.count > longestText else { return text }
        var size = 0
        return String(
            text.unicodeScalars.prefix { scalar in
                size += UTF8.width(scalar)
                return size <= longestText
            })
    }
}
