extension Configuration {
    /// How a request's path and host change on the way to the upstream (`routes[].rewrite`).
    package struct Rewrite: Sendable, Hashable {
        /// A path with the captures of the route's pattern (`path`): begins with `/`, at most 2,048 bytes. Default: nil, as it is.
        package var path: String?
        /// `Host` for the upstream (`host`): a name or address in lower case, perhaps with a port. Default: nil, the client's.
        package var host: String?

        /// Nothing changes.
        package init() {}
    }

    /// What happens to the `traceparent` and `tracestate` of a request (`trace_context`).
    package enum TraceContext: String, Sendable, Hashable, CaseIterable {
        /// Valid ones are passed on as they came.
        case accept
        /// They are always made anew.
        case restart
    }
}
