/// A route as the configuration states it: plain values, not yet checked. `RouteTable` checks and compiles them.
public struct RouteDefinition: Sendable {
    /// What to do with a path that has `%2F` in it.
    public enum EncodedSlashes: Sendable {
        /// Such a path is an error (400).
        case reject
        /// `%2F` stays as it is, within its segment.
        case keep
    }

    /// The path pattern, such as `/v1/users/{uid}/{rest=**}`; its syntax is told at `RoutePattern`.
    public var pattern: String
    /// Exact hosts or `*.example.com`, without a port; empty for any host.
    public var hosts: [String]
    /// Methods as they appear on the wire (`GET`); empty for any method. `GET` covers `HEAD`.
    public var methods: [String]
    /// Whether `//` is matched and forwarded as `/`.
    public var mergeSlashes: Bool
    /// What to do with `%2F`.
    public var encodedSlashes: EncodedSlashes
    /// Whether the literals of the pattern and of `stripPrefix` match without regard to ASCII case.
    public var caseInsensitive: Bool
    /// Literal leading segments that are removed before forwarding, such as `/api`.
    public var stripPrefix: String?
    /// The path that is forwarded, such as `/internal/{rest}`, with captures of the pattern; not with `stripPrefix`.
    public var rewrite: String?

    /// A route with the defaults of the configuration.
    public init(
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
