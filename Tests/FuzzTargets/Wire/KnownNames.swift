internal import HTTPWire

/// The kinds by their names in lower case, as their documentation tells them.
let knownNames: [FieldKind: String] = [
    .host: "host", .connection: "connection", .contentLength: "content-length",
    .transferEncoding: "transfer-encoding", .authorization: "authorization", .cookie: "cookie", .expect: "expect",
    .upgrade: "upgrade", .te: "te", .trailer: "trailer", .keepAlive: "keep-alive",
    .proxyConnection: "proxy-connection", .proxyAuthorization: "proxy-authorization",
    .proxyAuthenticate: "proxy-authenticate", .proxyAuthenticationInfo: "proxy-authentication-info",
    .http2Settings: "http2-settings", .date: "date", .server: "server", .via: "via", .origin: "origin",
    .accept: "accept", .location: "location", .contentType: "content-type", .setCookie: "set-cookie",
    .userAgent: "user-agent", .retryAfter: "retry-after", .wwwAuthenticate: "www-authenticate",
    .secFetchSite: "sec-fetch-site", .secWebSocketKey: "sec-websocket-key", .forwarded: "forwarded",
    .forwardedFor: "x-forwarded-for", .forwardedProto: "x-forwarded-proto", .forwardedHost: "x-forwarded-host",
    .requestID: "x-request-id", .traceparent: "traceparent", .tracestate: "tracestate", .grpcTimeout: "grpc-timeout",
]
