import HTTPWire
import NIOCore

/// Which fields of a trailer section are passed on: those that the head announced and that can do no harm there.
package final class TrailerFilter {
    /// The most announced names that count; what further ones announce does not pass. Each trailer is compared with each.
    static let maximumNames = 32

    /// The announced names that can do no harm, as spelled in `Trailer`.
    private var announced: [[UInt8]] = []

    /// Nil where the head announces none: then none passes.
    init?(announcedIn fields: FieldTable, of head: UnsafeRawBufferPointer, managed: ManagedFieldMatcher? = nil) {
        guard fields.contains(.trailer) else { return nil }
        var read = 0
        for index in 0..<fields.count where fields[index].kind == .trailer && !fields[index].isNamedByConnection {
            for name in ListMembers(fields[index].value.bytes(in: head)) {
                guard read < Self.maximumNames else { return }
                read += 1
                // A member that is no token announces no field (RFC 9110 section 6.6.2), but a lenient reader may find a name in it.
                guard ASCII.isToken(name) else { continue }
                // What `Connection` names is for this connection only, late as well as early.
                guard !ConnectionOptions.name(name, in: head, fields), managed?.matches(name) != true,
                    Self.isHarmless(FieldNameClassifier.kind(of: name), name)
                else { continue }
                announced.append(Array(name))
            }
        }
    }

    /// Writes the `Trailer` field with the names that pass; nothing where none does.
    func announce(in writer: inout HeadWriter) {
        guard !announced.isEmpty else { return }
        writer.append("Trailer: ")
        for (index, name) in announced.enumerated() {
            if index > 0 { writer.append(", ") }
            writer.append(name)
        }
        writer.append("\r\n")
    }

    /// Appends the field lines of `section` that pass.
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
        return announced.contains { $0.count == name.count && ASCII.equals(name, $0) }
    }

    /// Fields that frame, route, authenticate, or change how the body is read, may not come late (RFC 9110 section 6.5.1).
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
