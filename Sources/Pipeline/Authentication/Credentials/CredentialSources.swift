package import GatewayCore
package import HTTPWire
import TextCoding

/// Where the requests of one route may carry a credential besides the header and the cookie: for clients that can write neither, as browsers'
/// `WebSocket` and `EventSource`. What stands there never reaches an upstream, a log or a rule.
package final class CredentialSources: Sendable {
    /// The query parameter's name (`token_query`); nil: none counts.
    package let parameter: [UInt8]?
    /// Whether `Sec-WebSocket-Protocol: bearer, TOKEN` counts (`token_protocol`).
    let takesProtocol: Bool

    package init(parameter: String?, takesProtocol: Bool) {
        self.parameter = parameter.map { Array($0.utf8) }
        self.takesProtocol = takesProtocol
    }

    package var takesParameter: Bool { parameter != nil }

    /// Adds what stands in these places to what was found elsewhere.
    package func find(in request: RequestView, _ found: inout FoundCredentials) {
        var tokens: [[UInt8]] = []
        var isAmbiguous = false
        // RFC 6750 section 2.3: of requests whose answers nobody else may get by their URL alone, reading ones.
        if request.head.method == .get || request.head.method == .head {
            forEachParameter(of: request) { _, value, isOurs in
                guard isOurs else { return }
                isAmbiguous = isAmbiguous || !tokens.isEmpty
                // What cannot be decoded is no token, and is refused as none.
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

    /// Writes the query with its `?`, without the parameter, whichever way it is spelled.
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
        /// `bearer` stands elsewhere than at the beginning, or is spelled otherwise: what is the token, nobody can say.
        case misplaced
    }

    /// Whether a field has the name of the sub-protocols' as a service may spell it, that takes `_` for `-`.
    package func holdsProtocols(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        takesProtocol && field.kind == .other && Self.spellings.matches(field.name.bytes(in: head))
    }

    private static let spellings = ManagedFieldMatcher(exact: ["\(WebSocketProtocols.fieldName)"], prefixes: [])

    private func isProtocolField(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        takesProtocol && field.kind == .other && ASCII.equals(field.name.bytes(in: head), WebSocketProtocols.fieldName)
    }

    /// Whether the first sub-protocol is `bearer`, so that the second is the token.
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

    /// Writes a field of sub-protocols without `bearer` and the token; nothing where no others were there, or where its name is spelled
    /// otherwise. What stays, stays byte for byte: it is never longer than it was.
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

    /// Sub-protocols compare byte for byte.
    private static func isBearer(_ name: UnsafeRawBufferPointer) -> Bool { name.elementsEqual("bearer".utf8) }

    /// Whether a member is meant as `bearer`: in any case, also with something behind it that is no part of a sub-protocol's name.
    private static func resemblesBearer(_ member: UnsafeRawBufferPointer) -> Bool {
        let name = UnsafeRawBufferPointer(rebasing: member.prefix(6))
        return ASCII.equals(name, "bearer") && (member.count == 6 || !WebSocketProtocols.isToken(member))
    }
}

/// What was found in a route's further places. An object, so that a request without it carries a nil.
final class FurtherCredentials: Sendable {
    private let tokens: [[UInt8]]
    private let isAmbiguous: Bool

    init(tokens: [[UInt8]], isAmbiguous: Bool) {
        self.tokens = tokens
        self.isAmbiguous = isAmbiguous
    }

    /// What the request offers, with what it offers in the usual places: all must be the same.
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
