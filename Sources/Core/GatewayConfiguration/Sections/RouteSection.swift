import GatewayCore
import Routing
import SecurityRules

/// What reading a route needs to know of the rest of the file.
struct RouteSurroundings {
    /// The names under `upstreams`, also of those with errors.
    let upstreams: [String]
    /// Whether there is anybody whose tokens count, be it with errors.
    let hasIdentity: Bool
    /// Whose tokens count, without those with errors.
    let identity: Configuration.Identity
}

extension Configuration.Route {
    static func read(_ value: ConfigurationValue, _ surroundings: RouteSurroundings) -> Configuration.Route? {
        guard let mapping = value.mapping(.route) else { return nil }
        let pathValue = mapping.required("path", "add a pattern, as in path: /v1/{rest=**}")
        let path = pathValue.flatMap(Self.path)
        let upstream = mapping.required("upstream", "name one of the upstreams").flatMap { value in
            Self.upstream(value, surroundings.upstreams)
        }
        var route = Self(
            path: path ?? "", upstream: upstream ?? "", location: pathValue?.location ?? value.location)
        route.readMatch(mapping)
        route.readConditions(mapping)
        route.readForwarding(mapping)
        route.readEdge(mapping)
        route.readStreams(mapping)
        route.checkConditions(mapping, surroundings)
        route.checkAllow(mapping)
        return path != nil && upstream != nil ? route : nil
    }

    private mutating func readMatch(_ mapping: MappingReader) {
        mapping.set(&hosts, "host") { $0.oneOrList(Self.host) }
        mapping.set(&methods, "methods") { $0.list(Self.method) }
        mapping.set(&mergeSlashes, "merge_slashes") { $0.boolean() }
        mapping.set(&encodedSlashes, "encoded_slashes") { $0.choice() }
        mapping.set(&caseInsensitive, "case_insensitive") { $0.boolean() }
    }

    private mutating func readConditions(_ mapping: MappingReader) {
        mapping.set(&auth, "auth") { $0.choice() }
        mapping.set(&providers, "providers") { $0.list(Self.provider) }
        if let value = mapping.value("recent_sign_in") { readRecentSignIn(value) }
        mapping.set(&secondFactor, "second_factor") { $0.choice(of: ["required"]).map { _ in true } }
        mapping.set(&scopes, "scopes", Self.scopes)
        mapping.set(&allow, "allow") { $0.rulesExpression() }
        mapping.set(&revocation, "revocation") { $0.choice() }
        mapping.set(&onStoreFailure, "on_store_failure") { $0.choice() }
        mapping.set(&insecureNoCSRF, "insecure_no_csrf") { $0.boolean() }
    }

    /// A duration alone, or with the kind of proof that counts.
    private mutating func readRecentSignIn(_ value: ConfigurationValue) {
        let bounds: ClosedRange<Duration> = .seconds(1) ... .days(365)
        guard case .mapping = value.content else {
            recentSignIn = value.duration(in: bounds)
            return
        }
        guard let mapping = value.mapping(.recentSignIn) else { return }
        let maxAge = mapping.required("max_age", "say how long ago the user may have signed in, as in 5m")
        recentSignIn = maxAge?.duration(in: bounds)
        mapping.set(&signInProof, "proof") { $0.choice() }
    }

    private mutating func readForwarding(_ mapping: MappingReader) {
        mapping.set(&responseTimeout, "response_timeout") { $0.duration(in: Configuration.Limits.times) }
        mapping.set(&bodySize, "body_size") { $0.size(in: Configuration.Limits.bodySizes) }
        mapping.set(&stripPrefix, "strip_prefix", Self.prefix)
    }
}

extension Configuration.Route {
    private static func path(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 2_048) else { return nil }
        guard text.hasPrefix("/") else {
            return value.fail("\(value.name) is \(value.shown), without '/' at its beginning", "begin it with '/'")
        }
        return withoutForeignCaptures(text, value)
    }

    /// Refuses `:name` and `<name>`, which other routers read as captures and this one would match as they stand.
    private static func withoutForeignCaptures(_ text: String, _ value: ConfigurationValue) -> String? {
        for segment in text.split(separator: "/") {
            let isNamed = segment.hasPrefix(":") && segment.count > 1
            guard isNamed || segment.hasPrefix("<") && segment.hasSuffix(">") else { continue }
            let name = (segment.split(separator: ":").last ?? "").filter {
                $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
            }
            return value.fail(
                "\(value.name) has the segment \(Quoted(String(segment))), which would match only as it stands",
                "write {\(name.isEmpty ? "name" : name)}")
        }
        return text
    }

    private static func upstream(_ value: ConfigurationValue, _ names: [String]) -> String? {
        guard let name = value.string(atMost: 64) else { return nil }
        if names.contains(name) { return name }
        let remedy =
            Spelling.suggestion(for: name, among: names).map { "did you mean '\($0)'?" } ?? "add it under upstreams"
        return value.fail("there is no upstream \(value.shown)", remedy)
    }

    private static func host(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 255)?.lowercased() else { return nil }
        guard HostName.isPattern(text) else {
            return value.fail(
                "\(value.name) is \(value.shown), not a host", "write a name without a port, or *.example.com in quotes"
            )
        }
        return text
    }

    /// What a method that no registry has begins with.
    private static let extensionPrefix = "EXTENSION:"

    /// A method of the IANA registry, or any other as `extension:NAME`.
    static func method(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 32 + extensionPrefix.count)?.uppercased() else { return nil }
        let isExtension = text.hasPrefix(extensionPrefix)
        let name = isExtension ? String(text.dropFirst(extensionPrefix.count)) : text
        guard FieldName.isValid(name), name.utf8.count <= 32 else {
            return value.fail("\(value.name) is \(value.shown), not a method", "write a method as in GET")
        }
        guard name != "CONNECT" else { return value.fail("CONNECT is never forwarded", "remove it") }
        guard isExtension || RegisteredMethods.names.contains(name) else {
            let meant = Spelling.suggestion(for: name, among: RegisteredMethods.names)
            return value.fail(
                "\(value.name) is \(value.shown), a method that is not registered",
                (meant.map { "did you mean '\($0)'? else " } ?? "") + "write extension:\(name)")
        }
        return name
    }

    private static func provider(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 128) else { return nil }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return value.fail("\(value.name) is not a provider's id", "write an id as in apple.com")
        }
        return text
    }

    /// Routing reads it further, as it reads the path.
    private static func prefix(_ value: ConfigurationValue) -> String? {
        guard let text = value.string(atMost: 1_024) else { return nil }
        guard text.hasPrefix("/") else {
            return value.fail("\(value.name) is \(value.shown), without '/' at its beginning", "write it as in /api")
        }
        return withoutForeignCaptures(text, value)
    }
}

extension Configuration.Route {
    private func checkConditions(_ mapping: MappingReader, _ surroundings: RouteSurroundings) {
        if auth == .none {
            refuseConditions(mapping)
        } else if auth == .optional {
            refuseConditionsOfUsers(mapping)
        }
        if auth != .none, !surroundings.hasIdentity {
            mapping.context.fail(
                location, "the route asks for a credential and identity names nobody who issues one",
                "add identity.firebase.project or an entry of identity.providers, or set auth: none")
        }
        if onStoreFailure == .allow {
            mapping.context.warn(
                mapping.location(of: "on_store_failure"), "revoked users pass while the store is down",
                "remove it to answer 503 instead")
        }
        if insecureNoCSRF {
            mapping.context.warn(
                mapping.location(of: "insecure_no_csrf"),
                "pages of other sites can act here as whoever is signed in by a session cookie",
                "remove it, or have the service tell such calls itself")
        }
        if auth != .none { warnOfProviders(mapping, surroundings.identity) }
    }

    /// Who is anonymous fulfils none of them, and would pass all the same.
    private func refuseConditionsOfUsers(_ mapping: MappingReader) {
        let conditions = [
            ("providers", !providers.isEmpty), ("recent_sign_in", recentSignIn != nil), ("second_factor", secondFactor),
            ("scopes", !scopes.isEmpty),
        ]
        for (key, isAsked) in conditions where isAsked {
            mapping.context.fail(
                mapping.location(of: key), "\(key) does not hold for the anonymous, whom auth: optional lets pass",
                "remove it, or set auth: required")
        }
    }

    private func refuseConditions(_ mapping: MappingReader) {
        let conditions = [
            ("providers", !providers.isEmpty), ("recent_sign_in", recentSignIn != nil),
            ("second_factor", secondFactor), ("scopes", !scopes.isEmpty), ("allow", allow != nil),
            ("revocation", revocation == .strict),
        ]
        for (key, isAsked) in conditions where isAsked {
            mapping.context.fail(
                mapping.location(of: key), "\(key) can never apply on a route with auth: none",
                "remove it, or remove auth: none")
        }
    }
}

extension Configuration.Route {
    /// Tells everything wrong with the condition. Where the pattern is not one, its captures are not known: that is told by who reads it.
    private func checkAllow(_ mapping: MappingReader) {
        guard let allow, let value = mapping.value("allow"), let captures = ruleCaptures else { return }
        do throws(RuleProblems) {
            value.warn(try Ruleset(allow, captures: captures).warnings)
        } catch {
            value.report(error)
        }
    }

    private var ruleCaptures: [RuleCapture]? {
        let slashes: RouteDefinition.EncodedSlashes = encodedSlashes == .keep ? .keep : .reject
        return try? RoutePattern(path, encodedSlashes: slashes, caseInsensitive: caseInsensitive).ruleCaptures
    }
}
