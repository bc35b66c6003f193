extension Configuration {
    /// Which pages' scripts may call a route and read its answers (`routes[].cors`; the Fetch standard's CORS protocol).
    package struct CORS: Sendable, Hashable {
        /// The most origins, methods, request fields and exposed fields of a route, each.
        package static let maximumEntries = 64
        /// The longest time for which a browser may keep a preflight's answer.
        package static let longestAge = Duration.seconds(86_400)

        /// Origins as browsers send them, `null` among them only where it is listed, or `*` alone (`origins`); required, 1 to 64.
        package var origins: [String]
        /// Methods in upper case (`methods`), 1 to 64. Default: nil, those of the route.
        package var methods: [String]?
        /// Request fields that pages may set (`headers`), 1 to 64. Default: nil, those that the page asks for.
        package var headers: [String]?
        /// Answer fields that pages may read besides those that every page may (`expose`), at most 64. Default: empty.
        package var expose: [String] = []
        /// Whether the browser may send cookies and the page read the answer (`credentials`); not with `*`. Default: false.
        package var credentials = false
        /// How long a browser may keep a preflight's answer (`max_age`), 0 s to 24 h. Default: 10 min.
        package var maximumAge = Duration.seconds(600)

        /// The defaults of everything but the origins.
        package init(origins: [String]) {
            self.origins = origins
        }
    }
}
