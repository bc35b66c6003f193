/// The fields with a special meaning to the parser or a gateway. All others are `other`.
public enum FieldKind: UInt8, Sendable, CaseIterable {
    /// Any field not listed here.
    case other
    /// `Host`
    case host
    /// `Connection`
    case connection
    /// `Content-Length`
    case contentLength
    /// `Transfer-Encoding`
    case transferEncoding
    /// `Authorization`
    case authorization
    /// `Cookie`
    case cookie
    /// `Expect`
    case expect
    /// `Upgrade`
    case upgrade
    /// `TE`
    case te
    /// `Trailer`
    case trailer
    /// `Keep-Alive`
    case keepAlive
    /// `Proxy-Connection`
    case proxyConnection
    /// `Proxy-Authorization`
    case proxyAuthorization
    /// `Proxy-Authenticate`
    case proxyAuthenticate
    /// `Proxy-Authentication-Info`
    case proxyAuthenticationInfo
    /// `HTTP2-Settings`
    case http2Settings
    /// `Date`
    case date
    /// `Server`
    case server
    /// `Via`
    case via
    /// `Origin`
    case origin
    /// `Accept`
    case accept
    /// `Location`
    case location
    /// `Content-Type`
    case contentType
    /// `Set-Cookie`
    case setCookie
    /// `User-Agent`
    case userAgent
    /// `Retry-After`
    case retryAfter
    /// `WWW-Authenticate`
    case wwwAuthenticate
    /// `Sec-Fetch-Site`
    case secFetchSite
    /// `Sec-WebSocket-Key`
    case secWebSocketKey
    /// `Forwarded`
    case forwarded
    /// `X-Forwarded-For`
    case forwardedFor
    /// `X-Forwarded-Proto`
    case forwardedProto
    /// `X-Forwarded-Host`
    case forwardedHost
    /// `X-Request-Id`
    case requestID
    /// `traceparent`
    case traceparent
    /// `tracestate`
    case tracestate
    /// `grpc-timeout`
    case grpcTimeout

    /// Whether the field concerns one connection only, so that a gateway does not forward it: the fields of RFC 9110
    /// section 7.6.1 and older ones in use, whether or not `Connection` names them.
    ///
    /// `Proxy-Authorization`, `Proxy-Authenticate` and `Proxy-Authentication-Info` are included, since a gateway is
    /// not a forward proxy. So is `Trailer`, since announced trailers may lose fields on the way.
    @inlinable
    public var isHopByHop: Bool {
        switch self {
        case .connection, .transferEncoding, .upgrade, .te, .trailer, .keepAlive, .proxyConnection: true
        case .proxyAuthorization, .proxyAuthenticate, .proxyAuthenticationInfo, .http2Settings: true
        default: false
        }
    }
}
