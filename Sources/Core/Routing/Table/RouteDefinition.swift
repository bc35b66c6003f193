/// A route as the configuration states it: plain values, not yet checked. `RouteTable` checks and compiles them.
package struct RouteDefinition: Sendable {
    /// What to do with a path that has `%2F` in it.
    package enum EncodedSlashes: Sendable {
        /// Such a path is an error (400).
        case reject
        /// `%2F` stays as it is, within its segment.
        case keep
    }

    /// The path pattern, such as `/v1/users/{uid}/{rest=**}`; its syntax is told at `RoutePattern`.
    package var pattern: String
    /// Exact hosts or `*.example.com`, without a port; empty for any host.
    package var hosts: [String]
    /// Methods as they appear on the wire (`GET`); empty for any method. `GET` covers `HEAD`.
    package var methods: [String]
    /// Whether `//` is matched and forwarded as `/`.
    package var mergeSlashes: Bool
    /// What to do with `%2F`.
    package var encodedSlashes: EncodedSlashes
    /// Whether the literals of the pattern and of `stripPrefix` match without regard to ASCII case.
    package var caseInsensitive: Bool
    /// Literal leading segments that are removed before forwarding, such as `/api`.
    package var stripPrefix: String?
    /// The path that is forwarded, such as `/internal/{rest}`, with captures of the pattern; not with `stripPrefix`.
    package var rewrite: String?

    /// A route with the defaults of the configuration.
    package init(
        pattern: String, hosts: [String] = [], methods: [String] = [], mergeSlashes: Bool = true,
        encodedSlashes: EncodedSlashes = .reject, caseInsensitive: Bool = false, stripPrefix: String? = nil,
        rewrite: String? = nil
    ) {
        self.pattern = pattern
        self.hosts = hosts
        self.methods = methods
        self.mergeSlashes = mergeSlashes
        self.encodedSlashes = encodedSlashes
        self.caseInsensitive = caseInsensitive
        self.stripPrefix = stripPrefix
        self.rewrite = rewrite
    }
}
