import HTTPWire
import NIOCore

/// The trailer fields that are passed on: announced in the head and harmless as trailers.
package final class TrailerFilter {
    /// The maximum number of announced names. Further ones are dropped, because each trailer is compared with each
    /// name.
    static let maximumNames = 32

    /// The harmless announced names, as spelled in `Trailer`.
    private var announced: [[UInt8]] = []
    private let managed: ManagedFieldMatcher?
    /// Whether harmless fields pass that the head does not announce. HTTP/2 does not announce trailers, and gRPC
    /// depends on them.
    private let passesUnannounced: Bool

    /// Creates a filter. `nil` if no trailer passes.
    init?(
        announcedIn fields: FieldTable, of head: UnsafeRawBufferPointer, managed: ManagedFieldMatcher? = nil,
        passesUnannounced: Bool = false
    ) {
        self.managed = managed
        self.passesUnannounced = passesUnannounced
        guard fields.contains(.trailer) else {
            if passesUnannounced { return }
            return nil
        }
        var read = 0
        for index in 0..<fields.count where fields[index].kind == .trailer && !fields[index].isNamedByConnection {
            for name in ListMembers(fields[index].value.bytes(in: head)) {
                guard read < Self.maximumNames else { return }
                read += 1
                // A member that is not a token announces no field (RFC 9110 section 6.6.2), but a lenient parser may
                // find a name in it.
                guard ASCII.isToken(name) else { continue }
                // Fields that `Connection` names are for this connection only, also as trailers.
                guard !ConnectionOptions.name(name, in: head, fields), managed?.matches(name) != true,
                    Self.isHarmless(FieldNameClassifier.kind(of: name), name)
                else { continue }
                announced.append(Array(name))
            }
        }
    }

    /// Writes the `Trailer` field with the permitted names. Writes nothing if no name is permitted.
    func announce(in writer: inout HeadWriter) {
        guard !announced.isEmpty else { return }
        writer.append("Trailer: ")
        for (index, name) in announced.enumerated() {
            if index > 0 { writer.append(", ") }
            writer.append(name)
        }
        writer.append("\r\n")
    }

    /// Appends the permitted field lines of `section`.
    func append(_ section: ByteBuffer, to output: inout ByteBuffer) {
        guard section.readableBytes > 0 else { return }
        section.withUnsafeReadableBytes { bytes in
            var start = 0
            while start < bytes.count {
                let end = (bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count - 1) + 1
                let line = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
                if passes(line) { output.writeBytes(line) }
                start = end
            }
        }
    }

    private func passes(_ line: UnsafeRawBufferPointer) -> Bool {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { return false }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        if announced.contains(where: { $0.count == name.count && ASCII.equals(name, $0) }) { return true }
        return passesUnannounced && managed?.matches(name) != true
            && Self.isHarmless(FieldNameClassifier.kind(of: name), name)
    }

    /// Returns whether a field is harmless as a trailer. Fields for framing, routing, authentication or content
    /// processing are not (RFC 9110 section 6.5.1).
    private static func isHarmless(_ kind: FieldKind, _ name: UnsafeRawBufferPointer) -> Bool {
        guard kind.mayBeTrailer, kind != .requestID, kind != .traceparent, kind != .tracestate else { return false }
        for refused in ["content-", "cache-", "proxy-", "sec-", "if-", "x-request-", "access-control-"]
            as [StaticString]
        where name.count >= refused.utf8CodeUnitCount
            && ASCII.equals(UnsafeRawBufferPointer(rebasing: name[..<refused.utf8CodeUnitCount]), refused)
        {
            return false
        }
        for refused in ["range", "age", "expires", "vary", "max-forwards", "pragma", "warning", "te"] as [StaticString]
        where ASCII.equals(name, refused) {
            return false
        }
        return true
    }
}
