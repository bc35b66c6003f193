package import GatewayCore
package import HTTPWire

/// Where a request may carry a credential of ours.
package final class CredentialLocator: Sendable {
    /// The field with the Bearer token, in lower case; nil: none counts.
    let headerName: [UInt8]?
    /// The cookie's name, as it is spelled; nil: none counts.
    let cookieName: [UInt8]?
    private let isAuthorization: Bool

    package init(header: String?, cookie: String?) {
        headerName = header.map { Array($0.lowercased().utf8) }
        cookieName = cookie.map { Array($0.utf8) }
        isAuthorization = header.map { $0.lowercased() == "authorization" } ?? false
    }

    /// Finds the credentials of a request. Looks at names and shapes only; nothing is verified.
    package func find(in request: RequestView) -> FoundCredentials {
        var found = FoundCredentials()
        if isAuthorization {
            var index = request.fields.firstIndex(of: .authorization)
            while let current = index {
                found.recordHeader(request.fields[current], index: current, in: request.bytes)
                index = request.fields.nextIndex(of: .authorization, after: current)
            }
        } else if headerName != nil {
            for index in 0..<request.fields.count where isHeader(request.fields[index], in: request.bytes) {
                found.recordHeader(request.fields[index], index: index, in: request.bytes)
            }
        }
        if cookieName != nil, request.fields.contains(.cookie) { recordCookies(of: request, &found) }
        return found
    }

    private func recordCookies(of request: RequestView, _ found: inout FoundCredentials) {
        var index = request.fields.firstIndex(of: .cookie)
        while let current = index {
            for pair in CookiePairs(request.fields[current].value, in: request.bytes)
            where isOurs(pair, in: request.bytes) {
                found.recordCookie(pair.value, in: request.bytes)
            }
            index = request.fields.nextIndex(of: .cookie, after: current)
        }
    }

    /// Whether it is the field that may carry a Bearer token.
    private func isHeader(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        guard !isAuthorization else { return field.kind == .authorization }
        guard let headerName else { return false }
        return ASCII.equals(field.name.bytes(in: head), headerName)
    }

    /// Whether a field is one that this gateway looks for credentials in, whatever it holds.
    package func mayHoldCredential(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        field.kind == .cookie || isHeader(field, in: head)
    }

    /// A cookie of the name that is no JWT is not ours: it passes unchanged.
    private func isOurs(_ pair: CookiePair, in head: UnsafeRawBufferPointer) -> Bool {
        guard let cookieName, Cookies.isNamed(pair, cookieName, in: head) else { return false }
        return CompactShape.isJWT(pair.value.bytes(in: head))
    }
}

/// The credentials that a request carries, as ranges of its head. Plain values: it is handed along with each request.
package struct FoundCredentials {
    /// What the request offers to be known by.
    package enum Offer {
        case none
        case token(ByteRange, CredentialKind)
        /// One that stands in none of the head's bytes as it is: it counts as an ID token does.
        case text([UInt8])
        /// A field that should carry a Bearer token and carries something else.
        case unsupported
        /// More than one credential: nobody can say whose request it is.
        case ambiguous
    }

    fileprivate var headerFields = 0
    fileprivate var bearer: ByteRange?
    fileprivate var cookie: ByteRange?
    fileprivate var hasDifferentCookies = false
    /// Where the first field with a Bearer token is; more than one pass only on routes that look at none.
    fileprivate var bearerField = -1
    fileprivate var hasFurtherBearerFields = false
    /// What stood in the route's further places; nil: nothing, or there are none.
    var further: FurtherCredentials?

    fileprivate init() {}

    /// Whether a cookie of ours is among them, whatever else is: browsers send it by themselves.
    package var hasCookie: Bool { cookie != nil }

    /// What the request offers to be known by.
    package func offer(in head: UnsafeRawBufferPointer) -> Offer {
        guard let further else { return usualOffer(in: head) }
        return further.offer(with: usualOffer(in: head), in: head)
    }

    private func usualOffer(in head: UnsafeRawBufferPointer) -> Offer {
        if headerFields > 1 || hasDifferentCookies { return .ambiguous }
        switch (bearer, cookie) {
        case (let bearer?, let cookie?):
            let isSame = bearer.bytes(in: head).elementsEqual(cookie.bytes(in: head))
            return isSame ? .token(bearer, .idToken) : .ambiguous
        case (let bearer?, nil): return .token(bearer, .idToken)
        case (nil, let cookie?): return .token(cookie, .sessionCookie)
        // A service's own scheme beside our cookie is the service's business; alone, it is no credential for us.
        case (nil, nil): return headerFields == 0 ? .none : .unsupported
        }
    }

    fileprivate mutating func recordHeader(_ field: Field, index: Int, in head: UnsafeRawBufferPointer) {
        headerFields += 1
        let value = field.value.bytes(in: head)
        guard CredentialLocator.isBearer(value) else { return }
        if bearerField < 0 { bearerField = index } else { hasFurtherBearerFields = true }
        // Exactly one space (RFC 6750 section 2.1); whatever else is there makes the token malformed.
        let skipped = value.count > 6 && value[6] == 0x20 ? 7 : min(6, value.count)
        bearer = ByteRange(start: field.value.start + UInt32(skipped), length: field.value.length - UInt32(skipped))
    }

    fileprivate mutating func recordCookie(_ value: ByteRange, in head: UnsafeRawBufferPointer) {
        guard let known = cookie else {
            cookie = value
            return
        }
        if !known.bytes(in: head).elementsEqual(value.bytes(in: head)) { hasDifferentCookies = true }
    }
}

extension CredentialLocator {
    /// Whether a field may hold one of the credentials that were found.
    @inline(__always)
    package func holds(
        _ credentials: FoundCredentials, _ field: Field, at index: Int, in head: UnsafeRawBufferPointer
    ) -> Bool {
        if index == credentials.bearerField { return true }
        if field.kind == .cookie, credentials.cookie != nil { return true }
        return credentials.hasFurtherBearerFields && isHeader(field, in: head)
            && Self.isBearer(field.value.bytes(in: head))
    }

    /// Writes a cookie field without our cookies, the others byte for byte; nothing where only ours were there.
    package func writeCookiesWithoutOurs(of field: Field, in head: UnsafeRawBufferPointer, _ writer: inout HeadWriter) {
        var isFirst = true
        _ = Cookies.keep(field.value, of: head, removing: { isOurs($0, in: head) }) { run in
            if isFirst {
                writer.keep(field.name)
                writer.append(": ")
                isFirst = false
            }
            writer.keep(run)
        }
        if !isFirst { writer.append("\r\n") }
    }

    /// The scheme alone, or with anything after white space (RFC 9110 section 11.4: schemes compare without case).
    fileprivate static func isBearer(_ value: UnsafeRawBufferPointer) -> Bool {
        value.count >= 6 && ASCII.equals(UnsafeRawBufferPointer(rebasing: value[..<6]), "bearer")
            && (value.count == 6 || value[6] == 0x20 || value[6] == 0x09)
    }
}

/// Tells JWTs from other text by their shape alone.
package enum CompactShape {
    /// Three parts, the first the beginning of a JSON object in base64url: `{` and a quote or white space after it.
    package static func isJWT(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 5, bytes[0] == UInt8(ascii: "e"),
            bytes[1] == UInt8(ascii: "y") || bytes[1] == UInt8(ascii: "w")
        else { return false }
        var dots = 0
        for byte in bytes where byte == UInt8(ascii: ".") { dots += 1 }
        return dots == 2
    }

    /// Begins like a JSON object in base64url and has parts: a JWT, or one that is malformed. It is never taken for an opaque token.
    package static func seemsJWT(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 3, bytes[0] == UInt8(ascii: "e"), "yw3".utf8.contains(bytes[1]) else { return false }
        return bytes.contains(UInt8(ascii: "."))
    }
}
