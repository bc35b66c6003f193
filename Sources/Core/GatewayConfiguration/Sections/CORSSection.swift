import GatewayCore

extension Configuration.CORS {
    /// - Parameter methods: those of the route; empty: any.
    static func read(_ mapping: MappingReader, methods routeMethods: [String]) -> Self? {
        let origins = mapping.required("origins", "list the origins, as in origins: [https://app.example.com]")
            .flatMap(Self.origins)
        var cors = Self(origins: origins ?? [])
        mapping.set(&cors.methods, "methods") { value in
            bounded(value) { Self.method($0, of: routeMethods) }
        }
        mapping.set(&cors.headers, "headers") { bounded($0, Self.requestField) }
        mapping.set(&cors.credentials, "credentials") { $0.boolean() }
        let credentials = cors.credentials
        mapping.set(&cors.expose, "expose") { value in
            bounded(value) { Self.exposedField($0, credentials: credentials) }
        }
        mapping.set(&cors.maximumAge, "max_age") { $0.duration(in: .zero...Self.longestAge) }
        guard origins != nil else { return nil }
        cors.checkCredentials(mapping)
        return cors
    }

    private func checkCredentials(_ mapping: MappingReader) {
        guard credentials else { return }
        for (origin, whose) in [("*", "every page"), ("null", "any page in a sandboxed frame")]
        where origins.contains(origin) {
            mapping.context.fail(
                mapping.location(of: "credentials"),
                "cors.credentials with the origin '\(origin)' would let \(whose) act as the user",
                "list the origins, or remove credentials")
        }
    }

    private static func bounded(
        _ value: ConfigurationValue, _ read: (ConfigurationValue) -> String?
    ) -> [String]? {
        guard let list = value.oneOrList(read) else { return nil }
        guard list.count <= maximumEntries else {
            return value.fail("\(value.name) has more than \(maximumEntries) entries", "remove some")
        }
        return list
    }

    private static func origins(_ value: ConfigurationValue) -> [String]? {
        guard let origins = bounded(value, { $0.corsOrigin() }) else { return nil }
        guard origins.count == 1 || !origins.contains("*") else {
            return value.fail("\(value.name) lists '*' beside other origins", "keep '*' alone, or remove it")
        }
        return origins
    }

    private static func method(_ value: ConfigurationValue, of route: [String]) -> String? {
        guard let method = Configuration.Route.method(value) else { return nil }
        let isKnown = route.isEmpty || route.contains(method) || method == "HEAD" && route.contains("GET")
        guard isKnown else {
            return value.fail(
                "\(value.name) names \(method), which the route's methods do not", "add it there, or remove it here")
        }
        return method
    }

    private static func requestField(_ value: ConfigurationValue) -> String? {
        guard let name = value.string(atMost: 128) else { return nil }
        guard name != "*", FieldName.isValid(name) else {
            let remedy = name == "*" ? "leave headers out for any" : "write a name as in Content-Type"
            return value.fail("\(value.name) is \(value.shown), not a field name", remedy)
        }
        return name
    }

    private static func exposedField(_ value: ConfigurationValue, credentials: Bool) -> String? {
        guard let name = value.string(atMost: 128) else { return nil }
        guard FieldName.isValid(name), name != "*" || !credentials else {
            let remedy = name == "*" ? "list the fields: browsers take '*' for a name where there are credentials" : ""
            return value.fail(
                "\(value.name) is \(value.shown), not a field name",
                remedy.isEmpty ? "write a name as in X-Total-Count" : remedy)
        }
        return name
    }
}

extension ConfigurationValue {
    /// An origin, `*`, or `null` in quotes.
    fileprivate func corsOrigin() -> String? {
        guard case .scalar(let scalar) = content else { return origin() }
        if scalar.text == "*" { return "*" }
        if scalar.text == "null", !scalar.isPlain {
            context.warn(
                location, "the origin null is that of every sandboxed frame and local file", "list real origins")
            return "null"
        }
        return BrowserOrigin.isOfAnApp(scalar.text) ? scalar.text : origin()
    }
}

extension BrowserOrigin {
    /// The origin of a page that an app brings along, such as `capacitor://localhost`: a scheme of its own and a host.
    fileprivate static func isOfAnApp(_ text: String) -> Bool {
        guard let separator = text.firstRange(of: "://"), text.utf8.count <= 512 else { return false }
        let (scheme, host) = (text[..<separator.lowerBound], text[separator.upperBound...])
        guard let first = scheme.utf8.first, (0x61...0x7A).contains(first), !["http", "https"].contains(scheme) else {
            return false
        }
        let isScheme = scheme.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || "+-.".utf8.contains(byte)
        }
        return isScheme && HostName.isValid(String(host))
    }
}
