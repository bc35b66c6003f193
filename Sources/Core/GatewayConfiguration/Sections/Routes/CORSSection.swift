import GatewayCore

extension Configuration {
    /// The CORS policy of a route (`routes[].cors`; Fetch standard).
    package struct CORS: Sendable, Hashable {
        /// The maximum number of origins, methods, request fields and exposed fields, each.
        package static let maximumEntries = 64
        /// The maximum lifetime of a preflight response in browsers.
        package static let longestAge = Duration.seconds(86_400)

        /// Origins in the browsers' spelling, including `null` if it is listed, or only `*` (`origins`). Required, 1
        /// to 64.
        package var origins: [String]
        /// Methods in upper case (`methods`), 1 to 64. Default: `nil`, the methods of the route.
        package var methods: [String]?
        /// Request fields that pages may set (`headers`), 1 to 64. Default: `nil`, the requested fields.
        package var headers: [String]?
        /// Response fields that pages may read, in addition to the safelisted ones (`expose`), at most 64. Default:
        /// empty.
        package var expose: [String] = []
        /// Whether requests with cookies are permitted and their responses readable (`credentials`). Excludes `*`.
        /// Default: false.
        package var credentials = false
        /// The lifetime of a preflight response in browsers (`max_age`), 0 s to 24 h. Default: 10 min.
        package var maximumAge = Duration.seconds(600)

        /// Creates a policy with default settings.
        package init(origins: [String]) {
            self.origins = origins
        }
    }
}

extension Configuration.CORS {
    /// Reads the section.
    ///
    /// - Parameter methods: The methods of the route. Empty for any.
    static func read(_ mapping: MappingReader, methods routeMethods: [String]) -> Self? {
        let origins = mapping.required("origins", "list the origins, as in origins: [https://app.example.com]")
            .flatMap(Self.origins)
        var cors = Self(origins: origins ?? [])
        mapping.set(&cors.methods, "methods") { value in
            value.oneOrList(atMost: maximumEntries) { Self.method($0, of: routeMethods) }
        }
        mapping.set(&cors.headers, "headers") { $0.oneOrList(atMost: maximumEntries, Self.requestField) }
        mapping.set(&cors.credentials, "credentials") { $0.boolean() }
        let credentials = cors.credentials
        mapping.set(&cors.expose, "expose") { value in
            value.oneOrList(atMost: maximumEntries) { Self.exposedField($0, credentials: credentials) }
        }
        mapping.set(&cors.maximumAge, "max_age") { $0.duration(in: .zero...Self.longestAge) }
        guard origins != nil else { return nil }
        cors.checkCredentials(mapping)
        return cors
    }

    private func checkCredentials(_ mapping: MappingReader) {
        guard credentials else { return }
        for (origin, pages) in [("*", "every page"), ("null", "any page in a sandboxed frame")]
        where origins.contains(origin) {
            mapping.fail(
                "credentials", "cors.credentials with the origin '\(origin)' would let \(pages) act as the user",
                "list the origins, or remove credentials")
        }
    }

    private static func origins(_ value: ConfigurationValue) -> [String]? {
        guard let origins = value.oneOrList(atMost: maximumEntries, { $0.corsOrigin() }) else { return nil }
        guard origins.count == 1 || !origins.contains("*") else {
            return value.fail("\(value.name) lists other origins besides '*'", "write '*' alone, or remove it")
        }
        return origins
    }

    private static func method(_ value: ConfigurationValue, of route: [String]) -> String? {
        guard let method = Configuration.Route.method(value) else { return nil }
        let isKnown = route.isEmpty || route.contains(method) || method == "HEAD" && route.contains("GET")
        guard isKnown else {
            return value.fail(
                "\(value.name) lists \(method), which is not one of the route's methods",
                "add it there, or remove it here")
        }
        return method
    }

    private static func requestField(_ value: ConfigurationValue) -> String? {
        guard let name = value.string(atMost: 128) else { return nil }
        guard name != "*", FieldName.isValid(name) else {
            let remedy = name == "*" ? "omit headers to allow any" : "write a name as in Content-Type"
            return value.fail("\(value.name) is \(value.shown), not a field name", remedy)
        }
        return name
    }

    private static func exposedField(_ value: ConfigurationValue, credentials: Bool) -> String? {
        guard let name = value.string(atMost: 128) else { return nil }
        guard FieldName.isValid(name), name != "*" || !credentials else {
            let remedy = name == "*" ? "list the fields; with credentials, browsers interpret '*' as a field name" : ""
            return value.fail(
                "\(value.name) is \(value.shown), not a field name",
                remedy.isEmpty ? "write a name as in X-Total-Count" : remedy)
        }
        return name
    }
}
