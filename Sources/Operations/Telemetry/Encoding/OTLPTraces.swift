import JOSE

/// `ExportTraceServiceRequest` in JSON.
enum OTLPTraces {
    /// The size of a body at which no further span is added, in bytes. A body is larger by at most one span.
    static let fullSize = 1 << 20

    /// Encodes spans from the first one until the body is full.
    ///
    /// - Returns: The body, and the number of its spans, at least 1 if there are spans.
    static func body(of spans: [Span], from origin: OTLPOrigin, fullSize: Int = fullSize) -> (body: [UInt8], count: Int)
    {
        var output: [UInt8] = []
        OTLPText.append(#"{"resourceSpans":[{"#, to: &output)
        origin.appendResource(to: &output)
        OTLPText.append(#""scopeSpans":[{"#, to: &output)
        origin.appendScope(to: &output)
        OTLPText.append(#""spans":["#, to: &output)
        var count = 0
        for span in spans where count == 0 || output.count < fullSize {
            if count > 0 { output.append(UInt8(ascii: ",")) }
            append(span, to: &output)
            count += 1
        }
        OTLPText.append("]}]}]}", to: &output)
        return (output, count)
    }

    private static func append(_ span: Span, to output: inout [UInt8]) {
        OTLPText.append(#"{"traceId":""#, to: &output)
        OTLPText.append(hexadecimal: span.trace.0, to: &output)
        OTLPText.append(hexadecimal: span.trace.1, to: &output)
        OTLPText.append(#"","spanId":""#, to: &output)
        OTLPText.append(hexadecimal: span.id, to: &output)
        if span.parent != 0 {
            OTLPText.append(#"","parentSpanId":""#, to: &output)
            OTLPText.append(hexadecimal: span.parent, to: &output)
        }
        OTLPText.append(#"","flags":"#, to: &output)
        JSONWriter.appendInteger(span.flags, to: &output)
        OTLPText.append(#","name":"#, to: &output)
        JSONWriter.appendString(span.name, to: &output)
        OTLPText.append(#","kind":"#, to: &output)
        JSONWriter.appendInteger(span.kind.rawValue, to: &output)
        OTLPText.append(#","startTimeUnixNano":"#, to: &output)
        OTLPText.append(quoted: span.start, to: &output)
        OTLPText.append(#","endTimeUnixNano":"#, to: &output)
        OTLPText.append(quoted: span.end, to: &output)
        OTLPText.append(#","attributes":"#, to: &output)
        OTLPText.append(span.attributes, to: &output) { OTLPText.append($0, to: &$1) }
        // Unset is the default; a server or client does not report `OK` (semantic conventions for HTTP spans).
        if span.isError { OTLPText.append(#","status":{"code":2}"#, to: &output) }
        output.append(UInt8(ascii: "}"))
    }
}
