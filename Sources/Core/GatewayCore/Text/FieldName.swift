/// Properties of HTTP field names for the configuration.
package enum FieldName {
    /// Returns whether the name is a token (RFC 9110 section 5.6.2) of at most `maximum` bytes.
    package static func isValid(_ name: String, atMost maximum: Int = 128) -> Bool {
        !name.isEmpty && name.utf8.count <= maximum && name.utf8.allSatisfy(isTokenByte)
    }

    /// Returns the form in which managed names are compared: lower-case, with `-` in place of all bytes other than
    /// letters and digits.
    package static func normalized(_ name: String) -> String {
        String(decoding: name.lowercased().utf8.map { isAlphanumeric($0) ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    /// Returns whether the field concerns one connection (RFC 9110 section 7.6.1) or the framing of the message. Such
    /// fields cannot be configured.
    package static func belongsToConnection(_ normalized: String) -> Bool {
        connectionFields.contains(normalized) || normalized.hasPrefix("proxy-")
    }

    /// Returns whether the gateway itself sets or removes the field.
    package static func isReserved(_ normalized: String) -> Bool {
        isForgeable(normalized) || reservedFields.contains(normalized)
            || ["sec-", "access-control-"].contains { normalized.hasPrefix($0) }
    }

    /// Returns whether the field reports the origin or the target of a request to an upstream. Only the gateway may
    /// set such fields.
    package static func isForgeable(_ normalized: String) -> Bool {
        forgeableFields.contains(normalized) || forgeablePrefixes.contains { normalized.hasPrefix($0) }
    }

    /// Returns a field that HTTP or the gateway needs and that the prefix of the identity fields would remove, if any.
    package static func fieldEndangered(byPrefix prefix: String) -> String? {
        let normalized = normalized(prefix)
        let bare = String(normalized.dropLast())
        return indispensable.first { $0 == bare || $0.hasPrefix(normalized) }
    }

    /// Returns the reason that a configuration may not remove this field from requests. `nil` if it may.
    package static func problem(withRemovingInbound name: String) -> String? {
        let normalized = normalized(name)
        if belongsToConnection(normalized) || normalized.hasPrefix("sec-websocket-") {
            return "frames the message or belongs to the connection"
        }
        return reservedFields.contains(normalized) ? "is required by the gateway or the service" : nil
    }

    /// Returns whether a proxy may report a request's client in a field of that name. Fields with another use for
    /// clients, services or connections are excluded. A well-known name must have its exact spelling.
    package static func mayDescribeClient(_ name: String) -> Bool {
        let normalized = normalized(name)
        if ["forwarded", "x-forwarded-for", "x-forwarded-proto"].contains(normalized) {
            return name.lowercased() == normalized
        }
        return problem(withRemovingInbound: name) == nil && !ofClients.contains(normalized)
            && !describesOther.contains(normalized)
            && !["sec-", "access-control-"].contains { normalized.hasPrefix($0) }
    }

    /// Fields of proxies that do not contain a client address.
    private static let describesOther: Set<String> = [
        "proxy", "traceparent", "tracestate", "x-forwarded-host", "x-forwarded-port", "x-forwarded-prefix",
        "x-forwarded-server", "x-http-method", "x-http-method-override", "x-method-override", "x-original-uri",
        "x-original-url", "x-request-id", "x-rewrite-url",
    ]

    /// Fields that clients set and services read.
    package static let ofClients: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "if-match",
        "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "origin", "range", "referer",
        "user-agent", "x-api-key", "x-requested-with",
    ]

    private static let connectionFields: Set<String> = [
        "connection", "content-length", "expect", "host", "keep-alive", "te", "trailer", "transfer-encoding", "upgrade",
        "http2-settings",
    ]

    private static let forgeableFields: Set<String> = [
        "forwarded", "proxy", "traceparent", "tracestate", "true-client-ip", "x-http-method", "x-http-method-override",
        "x-method-override", "x-real-ip", "x-request-id",
    ]

    private static let forgeablePrefixes = ["x-forwarded-", "x-original-", "x-rewrite-", "x-envoy-original-"]

    private static let reservedFields: Set<String> = [
        "authorization", "content-encoding", "content-type", "cookie", "date", "server", "set-cookie", "via",
        "www-authenticate",
    ]

    private static let indispensable =
        (connectionFields.union(reservedFields).union(ofClients).sorted())
        + ["access-control-request-method", "sec-fetch-site", "sec-websocket-key", "x-forwarded-for"]

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        isAlphanumeric(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
}
