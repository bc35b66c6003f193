/// A route as configured, not yet validated. `RouteTable` validates and compiles it.
package struct RouteDefinition: Sendable {
    /// The handling of a path with `%2F`.
    package enum EncodedSlashes: Sendable {
        /// The path is rejected with 400.
        case reject
        /// `%2F` is kept within its segment.
        case keep
    }

    /// The path pattern, such as `/v1/users/{uid}/{rest=**}`. See `RoutePattern` for the syntax.
    package var pattern: String
    /// Exact hosts or `*.example.com`, without a port. Empty for any host.
    package var hosts: [String]
    /// Methods as on the wire (`GET`). Empty for any method. `GET` includes `HEAD`.
    package var methods: [String]
    /// Whether `//` is matched and forwarded as `/`.
    package var mergeSlashes: Bool
    /// The handling of `%2F`.
    package var encodedSlashes: EncodedSlashes
    /// Whether the literals of the pattern and of `stripPrefix` ignore ASCII case.
    package var caseInsensitive: Bool
    /// Literal leading segments that are removed before forwarding, such as `/api`.
    package var stripPrefix: String?
    /// The forwarded path, such as `/internal/{rest}`, with captures of the pattern. Excludes `stripPrefix`.
    package var rewrite: String?

    /// Creates a route with the defaults of the configuration.
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
