package import GatewayConfiguration
package import HTTPWire

/// Which inbound fields never reach an upstream, whatever the route says.
package struct HeaderHygiene: Sendable {
    package let managed: ManagedFieldMatcher

    /// - Parameters:
    ///   - prefix: of the identity fields, such as `X-Auth-`.
    ///   - extra: names of the fields that carry further claims.
    ///   - removed: fields that the configuration removes besides.
    package init(prefix: String, extra: [String], removed: Configuration.RemovedFields = Configuration.RemovedFields())
    {
        managed = ManagedFieldMatcher(
            exact: [
                String(prefix.dropLast()), "Forwarded", "X-Real-IP", "True-Client-IP", "X-HTTP-Method-Override",
                "X-HTTP-Method", "X-Method-Override", "X-Request-Id", "traceparent", "tracestate",
                // CGI makes HTTP_PROXY of it, which many HTTP clients take for their proxy's address.
                "Proxy",
            ] + extra + removed.names,
            prefixes: [prefix, "X-Forwarded-", "X-Original-", "X-Rewrite-", "X-Envoy-Original-"] + removed.prefixes)
    }

    /// Whether a field of a request is of the client's connection, or one that only the gateway may write.
    @inline(__always)
    func removes(_ field: Field, of head: UnsafeRawBufferPointer) -> Bool {
        switch field.kind {
        case .host, .contentLength: return false
        // What may follow is announced anew.
        case .expect, .trailer: return true
        default: return field.isHopByHop || managed.matches(field.name.bytes(in: head))
        }
    }
}
