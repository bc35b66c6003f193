import HTTPWire
import NIOCore

/// The heads of permitted requests: from the client's bytes to the upstream's.
///
/// First every managed and every hop-by-hop field is left out, and our credential; only then are our own fields added.
final class OutgoingHead: Sendable {
    let hygiene: HeaderHygiene
    let identity: IdentityRenderer
    let forwardsCredential: Bool

    init(hygiene: HeaderHygiene, identity: IdentityRenderer, forwardsCredential: Bool) {
        self.hygiene = hygiene
        self.identity = identity
        self.forwardsCredential = forwardsCredential
    }

    /// What a head is made of.
    struct Parts {
        let request: RequestView
        /// The canonical path, after `strip_prefix`.
        let path: UnsafeRawBufferPointer
        let permit: Permit
        let credentials: FoundCredentials
        let requestID: (UInt64, UInt64)
        let trace: (UInt64, UInt64)
        let span: UInt64
        let peer: PeerAddress
        /// `Host` for a request of HTTP/1.0 that has none.
        let fallbackHost: [UInt8]
    }

    /// Renders the head in place of what `output` held.
    ///
    /// - Returns: false when it could not be rendered; the request must not be forwarded then.
    func render(_ parts: Parts, into output: inout ByteBuffer) -> Bool {
        let head = parts.request.head
        let host = max(head.host.count, parts.fallbackHost.count)
        let identitySize = parts.permit.identity.map { $0.identity.bytes.count + 32 } ?? 0
        let bound =
            parts.request.bytes.count + parts.path.count + identitySize + host * 3 + parts.peer.forwardedLines.count
            + parts.peer.forwardedParameters.count + 384
        return output.render(from: parts.request.bytes, atMost: bound) { writer in
            writeRequestLine(parts, &writer)
            writeKeptFields(parts, &writer)
            writeIdentity(parts.permit, &writer)
            writeTrace(parts, &writer)
            writeForwarded(parts, &writer)
            if head.framing == .chunked { writer.append("Transfer-Encoding: chunked\r\n") }
            writer.append("\r\n")
        }
    }

    private func writeRequestLine(_ parts: Parts, _ writer: inout HeadWriter) {
        let head = parts.request.head
        writer.keep(head.methodRange)
        writer.append(" ")
        writer.append(parts.path)
        if let query = head.query {
            writer.append("?")
            writer.keep(query)
        }
        writer.append(" HTTP/1.1\r\n")
        // HTTP/1.0 without the field; its target may name the host.
        if !parts.request.fields.contains(.host) {
            writer.append("Host: ")
            writeHost(parts, &writer)
            writer.append("\r\n")
        }
    }

    private func writeKeptFields(_ parts: Parts, _ writer: inout HeadWriter) {
        let fields = parts.request.fields
        let bytes = parts.request.bytes
        for index in 0..<fields.count {
            let field = fields[index]
            if hygiene.removes(field, of: bytes) { continue }
            if field.kind == .host, field.value.isEmpty { continue }
            if field.kind == .trailer, parts.request.head.framing != .chunked { continue }
            if !forwardsCredential, parts.credentials.concerns(index, field.kind) {
                writeWithoutCredential(field, parts, &writer)
            } else {
                writer.keep(field.line)
            }
        }
    }

    /// A cookie field keeps its other cookies, byte for byte; the field with the Bearer token goes whole.
    private func writeWithoutCredential(_ field: Field, _ parts: Parts, _ writer: inout HeadWriter) {
        guard field.kind == .cookie else { return }
        parts.credentials.writeCookiesWithoutOurs(of: field, in: parts.request.bytes, &writer)
    }

    private func writeIdentity(_ permit: Permit, _ writer: inout HeadWriter) {
        guard let entry = permit.identity else { return }
        let rendered = entry.identity
        rendered.bytes.withUnsafeBytes { lines in
            guard let signedInAt = permit.signedInAt, signedInAt > entry.principal.authTime else {
                return writer.append(lines)
            }
            writer.append(UnsafeRawBufferPointer(rebasing: lines[..<rendered.lengthBeforeTime]))
            writer.append(identity.timeLine(signedInAt))
        }
    }

    /// `X-Request-Id`, and `traceparent` as W3C Trace Context has it, sampling left to the upstream.
    private func writeTrace(_ parts: Parts, _ writer: inout HeadWriter) {
        writer.append("X-Request-Id: ")
        writer.append(hexadecimal: parts.requestID.0)
        writer.append(hexadecimal: parts.requestID.1)
        writer.append("\r\ntraceparent: 00-")
        writer.append(hexadecimal: parts.trace.0)
        writer.append(hexadecimal: parts.trace.1)
        writer.append("-")
        writer.append(hexadecimal: parts.span)
        writer.append("-00\r\n")
    }

    private func writeForwarded(_ parts: Parts, _ writer: inout HeadWriter) {
        writer.append(parts.peer.forwardedLines)
        writer.append("X-Forwarded-Host: ")
        writeHost(parts, &writer)
        writer.append("\r\nForwarded: ")
        writer.append(parts.peer.forwardedParameters)
        writer.append("\"")
        writeHost(parts, &writer)
        writer.append("\"\r\n")
    }

    private func writeHost(_ parts: Parts, _ writer: inout HeadWriter) {
        let host = parts.request.head.host
        if host.isEmpty { writer.append(parts.fallbackHost) } else { writer.keep(host) }
    }
}
