package import GatewayCore
import HTTPWire

/// The trace context of a client's request (W3C Trace Context, levels 1 and 2). It is passed on unchanged, or with the
/// gateway's span as the parent.
package struct TraceContext {
    /// The maximum size and number of members of a forwarded `tracestate`. Section 3.3.1.5 requires at least these. A
    /// larger one is dropped.
    static let maximumState = 512
    static let maximumMembers = 32

    package let parent: TraceParent
    private let line: ByteRange
    private let passesState: Bool

    /// Returns `nil` unless the request has exactly one valid `traceparent`.
    package init?(of request: RequestView) {
        guard request.fields.count(of: .traceparent) == 1, let field = request.fields.first(.traceparent),
            let parent = TraceParent(field.value.bytes(in: request.bytes))
        else { return nil }
        self.parent = parent
        line = field.value
        passesState = Self.isState(of: request)
    }

    /// Writes the lines of both fields.
    func write(_ request: RequestView, _ writer: inout HeadWriter) {
        writer.append("traceparent: ")
        writer.keep(line)
        writer.append("\r\n")
        writeState(request, &writer)
    }

    /// Writes the lines of `tracestate`, if it is valid.
    func writeState(_ request: RequestView, _ writer: inout HeadWriter) {
        guard passesState else { return }
        // Several fields form one list, so that separate lines in the same order are equivalent.
        for index in 0..<request.fields.count where request.fields[index].kind == .tracestate {
            writer.append("tracestate: ")
            writer.keep(request.fields[index].value)
            writer.append("\r\n")
        }
    }

    /// Returns whether `tracestate` is present, and valid and short enough to be passed on.
    private static func isState(of request: RequestView) -> Bool {
        var bytes = 0
        var members = 0
        for index in 0..<request.fields.count where request.fields[index].kind == .tracestate {
            let value = request.fields[index].value.bytes(in: request.bytes)
            bytes += value.count + 1
            guard bytes <= maximumState + 1 else { return false }
            for member in ListMembers(value) {
                members += 1
                guard members <= maximumMembers, isMember(member) else { return false }
            }
        }
        return members > 0
    }

    /// Returns whether a member is `key=value`. The key is in lower case, possibly `tenant@system`. The value is
    /// visible ASCII without `,` and `=` (section 3.3.1.3).
    static func isMember(_ member: UnsafeRawBufferPointer) -> Bool {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")), (1...256).contains(equals),
            member.count - equals - 1 >= 1, member.count - equals - 1 <= 256
        else { return false }
        let isKey = member[..<equals].allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: "_-*/@".utf8.contains(byte)
            }
        }
        return isKey && member[(equals + 1)...].allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "=") }
    }
}
