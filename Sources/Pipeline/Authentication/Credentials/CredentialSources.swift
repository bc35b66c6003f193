package import GatewayCore
package import HTTPWire
import TextCoding

/// The additional credential sources of one route, for clients that can set neither header nor cookie, such as
/// `WebSocket` and `EventSource` in browsers. A credential found there never reaches an upstream, a log or a rule.
package final class CredentialSources: Sendable {
    /// The name of the query parameter (`token_query`). `nil` if no parameter is accepted.
    package let parameter: [UInt8]?
    /// Whether `Sec-WebSocket-Protocol: bearer, TOKEN` is accepted (`token_protocol`).
    let takesProtocol: Bool

    package init(parameter: String?, takesProtocol: Bool) {
        self.parameter = parameter.map { Array($0.utf8) }
        self.takesProtocol = takesProtocol
    }

    package var takesParameter: Bool { parameter != nil }

    /// Adds the credentials of these sources to those that were found elsewhere.
    package func find(in request: RequestView, _ found: inout FoundCredentials) {
        var tokens: [[UInt8]] = []
        var isAmbiguous = false
        // GET and HEAD only, as browsers use the parameter. RFC 6750 section 2.3 requires that the responses are not
        // shared.
        if request.head.method == .get || request.head.method == .head {
            forEachParameter(of: request) { _, value, isOurs in
                guard isOurs else { return }
                isAmbiguous = isAmbiguous || !tokens.isEmpty
                // A value that cannot be decoded is recorded as an empty token, which is rejected.
                tokens.append(FormEncoding.decoded(value) ?? [])
            }
        }
        switch protocolToken(in: request) {
        case .none: break
        case .token(let token): tokens.append(token)
        case .misplaced: isAmbiguous = true
        }
        if !tokens.isEmpty || isAmbiguous {
            found.further = FurtherCredentials(tokens: tokens, isAmbiguous: isAmbiguous)
        }
    }

    // MARK: - The query

    /// Writes the query with its `?` but without the credential parameter, however its name is percent-encoded.
    package func writeQuery(of request: RequestView, _ writer: inout HeadWriter) {
        guard let query = request.head.query else { return }
        var kept = 0
        forEachParameter(of: request) { range, _, isOurs in
            guard !isOurs else { return }
            writer.append(kept == 0 ? "?" : "&")
            writer.keep(range)
            kept += 1
        }
        if query.isEmpty { writer.append("?") }
    }

    private func forEachParameter(
        of request: RequestView, _ body: (ByteRange, Slice<UnsafeRawBufferPointer>, _ isOurs: Bool) -> Void
    ) {
        guard let parameter, let query = request.head.query, !query.isEmpty else { return }
        let bytes = query.bytes(in: request.bytes)
        for part in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
            let range = ByteRange(
                start: query.start + UInt32(truncatingIfNeeded: part.startIndex),
                length: UInt32(truncatingIfNeeded: part.count))
            body(range, part[end...].dropFirst(), FormEncoding.decoded(part[..<end]) == parameter)
        }
    }

    // MARK: - Sub-protocols

    private enum ProtocolToken {
        case none
        case token([UInt8])
        /// `bearer` is not the first sub-protocol, or is misspelled. The token cannot be determined.
        case misplaced
    }

    /// Returns whether a field name is `Sec-WebSocket-Protocol`, also as spelled by a server that treats `_` as `-`.
    package func holdsProtocols(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        takesProtocol && field.kind == .other && Self.spellings.matches(field.name.bytes(in: head))
    }

    private static let spellings = ManagedFieldMatcher(exact: ["\(WebSocketProtocols.fieldName)"], prefixes: [])

    private func isProtocolField(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        takesProtocol && field.kind == .other && ASCII.equals(field.name.bytes(in: head), WebSocketProtocols.fieldName)
    }

    /// Returns whether the first sub-protocol is `bearer`, so that the second one is the token.
    package func hasProtocolToken(in request: RequestView) -> Bool {
        if case .token = protocolToken(in: request) { true } else { false }
    }

    private func protocolToken(in request: RequestView) -> ProtocolToken {
        guard takesProtocol else { return .none }
        var token: [UInt8]?
        var isFirst = true
        for index in 0..<request.fields.count where isProtocolField(request.fields[index], in: request.bytes) {
            let members = ListMembers(request.fields[index].value.bytes(in: request.bytes))
            for (place, member) in members.enumerated() {
                if isFirst, place == 1, token != nil {
                    token = Array(member)
                } else if Self.resemblesBearer(member) {
                    guard isFirst, place == 0, Self.isBearer(member) else { return .misplaced }
                    token = []
                }
            }
            isFirst = false
        }
        return token.map { .token($0) } ?? .none
    }

    /// Writes a sub-protocol field without `bearer` and the token. The remaining members are copied byte for byte, so
    /// the field never grows. Writes nothing if no member remains, or if the value cannot be separated.
    package func writeProtocols(of field: Field, in head: UnsafeRawBufferPointer, _ writer: inout HeadWriter) {
        guard isProtocolField(field, in: head) else { return }
        let value = field.value.bytes(in: head)
        var members = ListMembers(value)
        guard let first = members.next(), Self.isBearer(first) else { return writer.keep(field.line) }
        _ = members.next()
        guard let other = members.next()?.baseAddress, let base = value.baseAddress else { return }
        writer.keep(field.name)
        writer.append(": ")
        writer.append(UnsafeRawBufferPointer(rebasing: value[(other - base)...]))
        writer.append("\r\n")
    }

    /// Returns whether a sub-protocol is `bearer`, compared byte for byte.
    private static func isBearer(_ name: UnsafeRawBufferPointer) -> Bool { name.elementsEqual("bearer".utf8) }

    /// Returns whether a member is meant as `bearer`: in any case, also followed by characters that no sub-protocol
    /// name may contain.
    private static func resemblesBearer(_ member: UnsafeRawBufferPointer) -> Bool {
        let name = UnsafeRawBufferPointer(rebasing: member.prefix(6))
        return ASCII.equals(name, "bearer") && (member.count == 6 || !WebSocketProtocols.isToken(member))
    }
}

/// The credentials from a route's additional sources. A class, so that other requests carry only a `nil` reference.
final class FurtherCredentials: Sendable {
    private let tokens: [[UInt8]]
    private let isAmbiguous: Bool

    init(tokens: [[UInt8]], isAmbiguous: Bool) {
        self.tokens = tokens
        self.isAmbiguous = isAmbiguous
    }

    /// Returns the credential of the request, given the one from its header and cookie. All of them must be identical.
    func offer(with usual: FoundCredentials.Offer, in head: UnsafeRawBufferPointer) -> FoundCredentials.Offer {
        guard !isAmbiguous, let token = tokens.first, tokens.allSatisfy({ $0 == token }) else { return .ambiguous }
        switch usual {
        case .none, .unsupported: return .text(token)
        case .token(let range, _):
            return range.bytes(in: head).elementsEqual(token) ? .token(range, .idToken) : .ambiguous
        case .text, .ambiguous: return .ambiguous
        }
    }
}
