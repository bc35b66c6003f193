package import GatewayCore
package import HTTPWire

/// The header and the cookie in which a request may carry a gateway credential.
package final class CredentialLocator: Sendable {
    /// The name of the field with the Bearer token, in lower case. `nil` if no field is accepted.
    let headerName: [UInt8]?
    /// The cookie's name; its case is significant. `nil` if no cookie is accepted.
    let cookieName: [UInt8]?
    /// Earlier names of the cookie. They count only in requests without a cookie of the current name.
    private let previousNames: [[UInt8]]
    private let isAuthorization: Bool

    package init(header: String?, cookie: String?, previousCookies: [String] = []) {
        headerName = header.map { Array($0.lowercased().utf8) }
        cookieName = cookie.map { Array($0.utf8) }
        previousNames = previousCookies.map { Array($0.utf8) }
        isAuthorization = header.map { $0.lowercased() == "authorization" } ?? false
    }

    /// Finds the credentials of a request by names and shapes. It verifies nothing.
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
                found.recordCookie(
                    pair.value, isPrevious: !previousNames.isEmpty && !isCurrent(pair, in: request.bytes),
                    in: request.bytes)
            }
            index = request.fields.nextIndex(of: .cookie, after: current)
        }
    }

    /// Returns whether a field may carry a Bearer token.
    private func isHeader(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        guard !isAuthorization else { return field.kind == .authorization }
        guard let headerName else { return false }
        return ASCII.equals(field.name.bytes(in: head), headerName)
    }

    /// Returns whether the gateway searches a field for credentials, whatever its value.
    package func mayHoldCredential(_ field: Field, in head: UnsafeRawBufferPointer) -> Bool {
        field.kind == .cookie || isHeader(field, in: head)
    }

    /// Returns whether a cookie has a configured name and holds a JWT. Any other cookie passes unchanged.
    private func isOurs(_ pair: CookiePair, in head: UnsafeRawBufferPointer) -> Bool {
        guard
            isCurrent(pair, in: head)
                || !previousNames.isEmpty && previousNames.contains(where: { Cookies.isNamed(pair, $0, in: head) })
        else { return false }
        return CompactShape.isJWT(pair.value.bytes(in: head))
    }

    private func isCurrent(_ pair: CookiePair, in head: UnsafeRawBufferPointer) -> Bool {
        guard let cookieName else { return false }
        return Cookies.isNamed(pair, cookieName, in: head)
    }
}

/// The credentials that a request carries, as ranges of its head. A plain value, which is passed along with each
/// request.
package struct FoundCredentials {
    /// The credential that a request presents.
    package enum Offer {
        case none
        case token(ByteRange, CredentialKind)
        /// A token that is not contained literally in the head's bytes. It is treated as an ID token.
        case text([UInt8])
        /// The Bearer field holds something other than a Bearer token.
        case unsupported
        /// More than one credential: the request cannot be attributed to one of them.
        case ambiguous
    }

    fileprivate var headerFields = 0
    fileprivate var bearer: ByteRange?
    fileprivate var cookie: ByteRange?
    fileprivate var hasDifferentCookies = false
    /// Whether `cookie` has an earlier name. A cookie of the current name replaces it.
    fileprivate var cookieIsPrevious = false
    /// The index of the first field with a Bearer token, or -1. Only routes that ignore credentials let further ones
    /// pass.
    fileprivate var bearerField = -1
    fileprivate var hasFurtherBearerFields = false
    /// The credentials found in the route's additional sources. `nil` if there are none, or no such sources.
    var further: FurtherCredentials?

    fileprivate init() {}

    /// Whether the request carries a session cookie. Browsers attach it to any request, so that it matters for
    /// cross-site checks.
    package var hasCookie: Bool { cookie != nil }

    /// Returns the credential that the request presents.
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
        // Another scheme in the header is left to the upstream if our cookie is present. Without the cookie it is no
        // credential.
        case (nil, nil): return headerFields == 0 ? .none : .unsupported
        }
    }

    fileprivate mutating func recordHeader(_ field: Field, index: Int, in head: UnsafeRawBufferPointer) {
        headerFields += 1
        let value = field.value.bytes(in: head)
        guard CredentialLocator.isBearer(value) else { return }
        if bearerField < 0 { bearerField = index } else { hasFurtherBearerFields = true }
        // Exactly one space separates scheme and token (RFC 6750 section 2.1). Anything else makes the token malformed.
        let skipped = value.count > 6 && value[6] == 0x20 ? 7 : min(6, value.count)
        bearer = ByteRange(start: field.value.start + UInt32(skipped), length: field.value.length - UInt32(skipped))
    }

    fileprivate mutating func recordCookie(_ value: ByteRange, isPrevious: Bool, in head: UnsafeRawBufferPointer) {
        guard let known = cookie, !cookieIsPrevious || isPrevious else {
            // The current name has precedence. Other hosts of the domain can set cookies of unprotected names.
            cookie = value
            cookieIsPrevious = isPrevious
            hasDifferentCookies = false
            return
        }
        guard cookieIsPrevious == isPrevious else { return }
        if !known.bytes(in: head).elementsEqual(value.bytes(in: head)) { hasDifferentCookies = true }
    }
}

extension CredentialLocator {
    /// Returns whether a field may hold one of the credentials that were found.
    @inline(__always)
    package func holds(
        _ credentials: FoundCredentials, _ field: Field, at index: Int, in head: UnsafeRawBufferPointer
    ) -> Bool {
        if index == credentials.bearerField { return true }
        if field.kind == .cookie, credentials.cookie != nil { return true }
        return credentials.hasFurtherBearerFields && isHeader(field, in: head)
            && Self.isBearer(field.value.bytes(in: head))
    }

    /// Writes a cookie field without the session cookies and keeps the remaining cookies byte for byte. Writes nothing
    /// if no cookie remains.
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

    /// Returns whether a value is the Bearer scheme, either bare or followed by white space. Schemes compare without
    /// case (RFC 9110 section 11.4).
    fileprivate static func isBearer(_ value: UnsafeRawBufferPointer) -> Bool {
        value.count >= 6 && ASCII.equals(UnsafeRawBufferPointer(rebasing: value[..<6]), "bearer")
            && (value.count == 6 || value[6] == 0x20 || value[6] == 0x09)
    }
}

/// The shape of JWTs in compact serialization.
package enum CompactShape {
    /// Returns whether text has three parts, of which the first begins like a JSON object in base64url: `{`, then a
    /// quote or white space.
    package static func isJWT(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 5, bytes[0] == UInt8(ascii: "e"),
            bytes[1] == UInt8(ascii: "y") || bytes[1] == UInt8(ascii: "w")
        else { return false }
        var dots = 0
        for byte in bytes where byte == UInt8(ascii: ".") { dots += 1 }
        return dots == 2
    }

    /// Returns whether text begins like a JSON object in base64url and has several parts: a JWT, possibly malformed.
    /// Such text is never treated as an opaque token.
    package static func seemsJWT(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 3, bytes[0] == UInt8(ascii: "e"), "yw3".utf8.contains(bytes[1]) else { return false }
        return bytes.contains(UInt8(ascii: "."))
    }
}
