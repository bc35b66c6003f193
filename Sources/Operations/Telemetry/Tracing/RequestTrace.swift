/// The spans of one recorded request: a server span, and child spans for lookups and for attempts at the upstream.
///
/// It belongs to the event loop of the request. Times are monotonic nanoseconds.
package final class RequestTrace {
    /// The maximum number of child spans. Further ones are omitted.
    package static let maximumChildren = 32

    /// The parent of the server span in another process.
    package struct Parent {
        let span: UInt64
        /// The flags of `traceparent`.
        let flags: UInt8

        package init(span: UInt64, flags: UInt8) {
            self.span = span
            self.flags = flags
        }
    }

    private struct OpenSpan {
        let id: UInt64
        let name: String
        let kind: Span.Kind
        let start: UInt64
        let attributes: [SpanAttribute]
    }

    /// The end of the request, for the server span.
    package struct End {
        package let name: String
        package let time: UInt64
        package let attributes: [SpanAttribute]
        package let isError: Bool

        package init(name: String, time: UInt64, attributes: [SpanAttribute], isError: Bool) {
            self.name = name
            self.time = time
            self.attributes = attributes
            self.isError = isError
        }
    }

    /// The trace ID, not zero.
    package let trace: (UInt64, UInt64)
    /// The flags of the outgoing `traceparent`: sampled, and the parent's random flag (W3C Trace Context level 2).
    package let flags: UInt8
    private let parent: Parent?
    private let id: UInt64
    private let start: UInt64
    /// The wall clock minus the monotonic clock, in nanoseconds.
    private let offset: UInt64
    private var attributes: [SpanAttribute]
    private var children: [Span] = []
    private var open: OpenSpan?

    /// Begins the trace of a request.
    ///
    /// - Parameters:
    ///   - id: The ID of the server span, not zero.
    ///   - start: When the head was complete.
    ///   - offset: The wall clock in nanoseconds since 1970 minus the monotonic clock, modulo 2^64.
    ///   - attributes: Those of the server span that are known at its start.
    package init(
        _ trace: (UInt64, UInt64), id: UInt64, parent: Parent?, start: UInt64, offset: UInt64,
        attributes: [SpanAttribute]
    ) {
        self.trace = trace
        self.id = id
        self.parent = parent
        self.start = start
        self.offset = offset
        self.attributes = attributes
        flags = 1 | (parent?.flags ?? 0) & 2
    }

    /// Begins a child span. A previous one that has not ended ends without a result.
    package func beginChild(
        _ name: String, _ kind: Span.Kind, id: UInt64, at time: UInt64, _ attributes: [SpanAttribute] = []
    ) {
        endChild(at: time)
        open = OpenSpan(id: id, name: name, kind: kind, start: time, attributes: attributes)
    }

    /// Ends the current child span, if any.
    ///
    /// - Parameter error: The value of `error.type`. `nil` if the operation succeeded.
    package func endChild(at time: UInt64, _ attributes: [SpanAttribute] = [], error: String? = nil) {
        guard let child = open else { return }
        open = nil
        guard children.count < Self.maximumChildren else { return }
        children.append(
            Span(
                trace: trace, id: child.id, parent: id, flags: UInt32(flags) | Self.isParentKnown, kind: child.kind,
                name: child.name, start: child.start &+ offset, end: max(time, child.start) &+ offset,
                attributes: child.attributes + attributes + (error.map { [SpanAttribute("error.type", $0)] } ?? []),
                isError: error != nil))
    }

    /// Whether a child span has not ended.
    package var hasOpenChild: Bool { open != nil }

    /// Ends the request. Returns all spans, the server span last.
    package func finish(_ end: End) -> [Span] {
        endChild(at: end.time)
        let isRemote = parent == nil ? 0 : Self.isParentRemote
        let server = Span(
            trace: trace, id: id, parent: parent?.span ?? 0, flags: UInt32(flags) | Self.isParentKnown | isRemote,
            kind: .server, name: end.name, start: start &+ offset, end: max(end.time, start) &+ offset,
            attributes: attributes + end.attributes, isError: end.isError)
        return children + [server]
    }

    /// The bits of OTLP's `SpanFlags`: whether it is known that the parent is remote, and whether it is.
    private static let isParentKnown: UInt32 = 0x100
    private static let isParentRemote: UInt32 = 0x200
}
