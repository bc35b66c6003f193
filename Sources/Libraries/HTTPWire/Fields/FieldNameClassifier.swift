/// Finds the ``FieldKind`` of a field name by its length and a few comparisons of eight bytes.
public enum FieldNameClassifier {
    /// Returns the kind of the field with this name, ignoring case.
    public static func kind(of name: UnsafeRawBufferPointer) -> FieldKind {
        guard let base = name.baseAddress, name.allSatisfy(ByteClass.isToken) else { return .other }
        return kind(ofToken: base, count: name.count)
    }

    /// Returns the kind of a name that is known to be a token. Setting bit 0x20 of a byte compares letters without
    /// case only in tokens: the one other byte that becomes a hyphen is CR, which is not a token byte.
    @inline(__always)
    static func kind(ofToken name: UnsafeRawPointer, count: Int) -> FieldKind {
        switch count {
        case 2: short(name)
        case 3...6: upToSix(name, count)
        case 7: seven(name)
        case 8...10: upToTen(name, count)
        case 11...14: upToFourteen(name, count)
        case 15...25: long(name, count)
        default: .other
        }
    }

    @inline(__always)
    private static func short(_ name: UnsafeRawPointer) -> FieldKind {
        name.byte(0) | 0x20 == 0x74 && name.byte(1) | 0x20 == 0x65 ? .te : .other
    }

    @inline(__always)
    private static func upToSix(_ name: UnsafeRawPointer, _ count: Int) -> FieldKind {
        switch count {
        case 3: small(name, "via") ? .via : .other
        case 4: small(name, "host") ? .host : small(name, "date") ? .date : .other
        case 6: six(name)
        default: .other
        }
    }

    @inline(__always)
    private static func six(_ name: UnsafeRawPointer) -> FieldKind {
        if small(name, "accept") { return .accept }
        if small(name, "cookie") { return .cookie }
        if small(name, "expect") { return .expect }
        if small(name, "origin") { return .origin }
        return small(name, "server") ? .server : .other
    }

    @inline(__always)
    private static func seven(_ name: UnsafeRawPointer) -> FieldKind {
        small(name, "upgrade") ? .upgrade : small(name, "trailer") ? .trailer : .other
    }

    @inline(__always)
    private static func upToTen(_ name: UnsafeRawPointer, _ count: Int) -> FieldKind {
        switch count {
        case 8: return large(name, "location") ? .location : .other
        case 9: return large(name, "forwarded") ? .forwarded : .other
        default: break
        }
        if large(name, "user-agent") { return .userAgent }
        if large(name, "connection") { return .connection }
        if large(name, "keep-alive") { return .keepAlive }
        if large(name, "set-cookie") { return .setCookie }
        return large(name, "tracestate") ? .tracestate : .other
    }

    @inline(__always)
    private static func upToFourteen(_ name: UnsafeRawPointer, _ count: Int) -> FieldKind {
        switch count {
        case 11: return large(name, "traceparent") ? .traceparent : large(name, "retry-after") ? .retryAfter : .other
        case 12: return twelve(name)
        case 13: return large(name, "authorization") ? .authorization : .other
        default: break
        }
        if large(name, "content-length") { return .contentLength }
        if large(name, "sec-fetch-site") { return .secFetchSite }
        return large(name, "http2-settings") ? .http2Settings : .other
    }

    @inline(__always)
    private static func twelve(_ name: UnsafeRawPointer) -> FieldKind {
        if large(name, "content-type") { return .contentType }
        if large(name, "x-request-id") { return .requestID }
        return large(name, "grpc-timeout") ? .grpcTimeout : .other
    }

    @inline(__always)
    private static func long(_ name: UnsafeRawPointer, _ count: Int) -> FieldKind {
        switch count {
        case 15: return large(name, "x-forwarded-for") ? .forwardedFor : .other
        case 16: return sixteen(name)
        case 17:
            return large(name, "transfer-encoding")
                ? .transferEncoding
                : large(name, "x-forwarded-proto")
                    ? .forwardedProto : large(name, "sec-websocket-key") ? .secWebSocketKey : .other
        case 18: return large(name, "proxy-authenticate") ? .proxyAuthenticate : .other
        case 19: return large(name, "proxy-authorization") ? .proxyAuthorization : .other
        case 25: return large(name, "proxy-authentication-info") ? .proxyAuthenticationInfo : .other
        default: return .other
        }
    }

    @inline(__always)
    private static func sixteen(_ name: UnsafeRawPointer) -> FieldKind {
        if large(name, "x-forwarded-host") { return .forwardedHost }
        if large(name, "www-authenticate") { return .wwwAuthenticate }
        return large(name, "proxy-connection") ? .proxyConnection : .other
    }
}

extension FieldNameClassifier {
    private static var small: UInt32 { 0x2020_2020 }
    private static var large: UInt64 { 0x2020_2020_2020_2020 }

    /// Returns whether a name of the literal's length, three to seven bytes, equals the literal.
    @inline(__always)
    private static func small(_ name: UnsafeRawPointer, _ text: StaticString) -> Bool {
        let literal = UnsafeRawPointer(text.utf8Start)
        let count = text.utf8CodeUnitCount
        guard count >= 4 else { return triple(name) == triple(literal) }
        return half(name, 0) == half(literal, 0) && half(name, count - 4) == half(literal, count - 4)
    }

    /// Returns whether a name of the literal's length, eight to 25 bytes, equals the literal.
    @inline(__always)
    private static func large(_ name: UnsafeRawPointer, _ text: StaticString) -> Bool {
        let literal = UnsafeRawPointer(text.utf8Start)
        let count = text.utf8CodeUnitCount
        guard whole(name, 0) == whole(literal, 0), whole(name, count - 8) == whole(literal, count - 8) else {
            return false
        }
        if count > 16, whole(name, 8) != whole(literal, 8) { return false }
        return count <= 24 || whole(name, 16) == whole(literal, 16)
    }

    @inline(__always)
    private static func triple(_ bytes: UnsafeRawPointer) -> UInt32 {
        (UInt32(bytes.byte(0)) | UInt32(bytes.byte(1)) << 8 | UInt32(bytes.byte(2)) << 16) | small
    }

    @inline(__always)
    private static func half(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self) | small
    }

    @inline(__always)
    private static func whole(_ bytes: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) | large
    }
}
