import GatewayConfiguration
import GatewayCore
import Routing

/// The detection of routes that are valid individually but have unexpected effects in combination or by default.
struct RouteConflicts {
    private let configuration: Configuration
    private let routes: [Configuration.Route]
    private let patterns: [RoutePattern]

    /// Creates the detection for routes with these patterns, in order.
    init(_ configuration: Configuration, _ patterns: [RoutePattern]) {
        self.configuration = configuration
        routes = configuration.routes
        self.patterns = patterns
    }

    /// The warnings, in the order of the routes.
    var warnings: [ConfigurationWarning] {
        var found: [ConfigurationWarning] = []
        for route in routes {
            if keepsSlashesWithRules(route) { found.append(slashWarning(route)) }
            if !route.mergeSlashes, route.stripPrefix != nil { found.append(emptySegmentWarning(route)) }
        }
        var seen: Set<ConfigurationWarning> = []
        for group in groups { found += unprotectedSpellings(group) + hiddenGets(group) }
        return found.filter { seen.insert($0).inserted }
    }

    /// The routes of each host. The host is matched first, without a fallback.
    private var groups: [[Int]] {
        var groups: [String: [Int]] = [:]
        for (index, route) in routes.enumerated() {
            for host in route.hosts.isEmpty ? [""] : route.hosts { groups[host, default: []].append(index) }
        }
        return groups.sorted { $0.key < $1.key }.map(\.value)
    }

    private func warning(_ route: Configuration.Route, _ what: String, _ remedy: String) -> ConfigurationWarning {
        ConfigurationWarning(location: route.location, what: what, remedy: remedy)
    }
}

// MARK: One route

extension RouteConflicts {
    private func keepsSlashesWithRules(_ route: Configuration.Route) -> Bool {
        route.encodedSlashes == .keep && route.auth != .none && (configuration.rules != nil || route.allow != nil)
    }

    private func slashWarning(_ route: Configuration.Route) -> ConfigurationWarning {
        warning(
            route,
            "encoded_slashes: keep with rules: %2F does not end a segment, so {name} may contain a '/', "
                + "and a service that decodes it sees another path than the rules",
            "make sure that the service splits the path before it decodes, or remove encoded_slashes")
    }

    private func emptySegmentWarning(_ route: Configuration.Route) -> ConfigurationWarning {
        warning(
            route,
            "merge_slashes: false with strip_prefix: a path with '//' directly behind the prefix is refused (400), "
                + "since //HOST/... names another server",
            "remove one of them if clients send such paths")
    }
}

// MARK: Routes of one host

extension RouteConflicts {
    /// Returns warnings about unprotected spellings. Exact literals take precedence over case-insensitive ones: `/a`
    /// without authentication exposes one spelling of a protected `/A`.
    private func unprotectedSpellings(_ group: [Int]) -> [ConfigurationWarning] {
        var open: [String: Int] = [:]
        for index in group where routes[index].auth == .none && !routes[index].caseInsensitive {
            open[shape(of: index)] = open[shape(of: index)] ?? index
        }
        return group.compactMap { index in
            let route = routes[index]
            guard route.caseInsensitive, route.auth != .none, let other = open[shape(of: index)] else { return nil }
            return warning(
                route,
                "\(Quoted(route.path)) in any case asks for a credential, but \(Quoted(routes[other].path)) "
                    + "at line \(routes[other].location.line) exposes that spelling with auth: none",
                "give both the same auth, or remove one")
        }
    }

    private func shape(of index: Int) -> String {
        let parts = patterns[index].segments.map { segment in
            if case .literal(let key) = segment {
                String(decoding: key.map(PathBytes.lowercased), as: UTF8.self)
            } else {
                "{}"
            }
        }
        return parts.joined(separator: "/") + (patterns[index].rest == .none ? "" : "/**")
    }

    /// Returns warnings about paths whose own routes do not include `GET`. They return 405, regardless of wider
    /// patterns.
    private func hiddenGets(_ group: [Int]) -> [ConfigurationWarning] {
        var tree = PatternTree()
        for index in group { tree.insert(patterns[index], index) }
        return group.compactMap { index in
            let own = tree.routes(of: patterns[index])
            guard own.first == index, !own.contains(where: takesGet),
                let wider = tree.wider(than: patterns[index], where: takesGet)
            else { return nil }
            return warning(
                routes[index],
                "GET of \(Quoted(routes[index].path)) is 405, although \(Quoted(routes[wider].path)) "
                    + "at line \(routes[wider].location.line) would take it: the more specific path decides",
                "add a route for GET of this path, if it is to be served")
        }
    }

    private func takesGet(_ index: Int) -> Bool {
        routes[index].methods.isEmpty || routes[index].methods.contains("GET")
    }
}

/// The patterns of one host as a tree of segments, to find patterns that are wider than another.
private struct PatternTree {
    private struct Node {
        var literals: [[UInt8]: Int] = [:]
        var capture: Int?
        /// The routes whose pattern ends here, and the routes with `**` here.
        var ends: [Int] = []
        var rests: [Int] = []
    }

    private var nodes = [Node()]

    mutating func insert(_ pattern: RoutePattern, _ route: Int) {
        var place = 0
        for segment in pattern.segments { place = child(of: place, segment) ?? addChild(of: place, segment) }
        if pattern.rest == .none { nodes[place].ends.append(route) } else { nodes[place].rests.append(route) }
    }

    /// Returns the routes of exactly this pattern, whatever the names of its captures.
    func routes(of pattern: RoutePattern) -> [Int] {
        var place = 0
        for segment in pattern.segments {
            guard let next = child(of: place, segment) else { return [] }
            place = next
        }
        return pattern.rest == .none ? nodes[place].ends : nodes[place].rests
    }

    /// Returns a route whose pattern matches all paths of this one, and more.
    func wider(than pattern: RoutePattern, where isMeant: (Int) -> Bool) -> Int? {
        search(0, pattern.segments[...], pattern.rest != .none, isWider: false, isMeant)
    }

    /// Searches for a wider pattern. The cost is that of a match: `RouteTable` limits the number of visited nodes.
    private func search(
        _ place: Int, _ segments: ArraySlice<RoutePattern.Segment>, _ hasRest: Bool, isWider: Bool,
        _ isMeant: (Int) -> Bool
    ) -> Int? {
        guard let segment = segments.first else {
            let rest = isWider || !hasRest ? nodes[place].rests.first(where: isMeant) : nil
            return isWider && !hasRest ? nodes[place].ends.first(where: isMeant) ?? rest : rest
        }
        if let next = child(of: place, segment),
            let found = search(next, segments.dropFirst(), hasRest, isWider: isWider, isMeant)
        {
            return found
        }
        if case .literal = segment, let next = nodes[place].capture,
            let found = search(next, segments.dropFirst(), hasRest, isWider: true, isMeant)
        {
            return found
        }
        return nodes[place].rests.first(where: isMeant)
    }

    private func child(of place: Int, _ segment: RoutePattern.Segment) -> Int? {
        switch segment {
        case .literal(let key): nodes[place].literals[key]
        case .capture: nodes[place].capture
        }
    }

    private mutating func addChild(of place: Int, _ segment: RoutePattern.Segment) -> Int {
        let new = nodes.count
        nodes.append(Node())
        switch segment {
        case .literal(let key): nodes[place].literals[key] = new
        case .capture: nodes[place].capture = new
        }
        return new
    }
}
