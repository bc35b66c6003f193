/// Validates definitions and builds the parts of a `RouteTable`.
struct RouteTableBuilder {
    private let definitions: [RouteDefinition]

    private(set) var problems: [RouteProblem] = []
    private(set) var routes: [RouteTable.Route] = []
    private(set) var hosts = HostTable()
    private(set) var trie = RouteTrie()
    private(set) var endpoints: [RouteEndpoint] = []

    /// The positions of each route in the trie, one for each root.
    private var placements: [[ShadowCheck.Placement]] = []
    private var methods: [[[UInt8]]] = []
    /// The hosts of each route; `nil` is any host.
    private var routeHosts: [[HostPattern?]] = []

    init(_ definitions: [RouteDefinition]) {
        self.definitions = definitions
    }

    mutating func run() {
        guard definitions.count <= RouteTable.maximumRoutes else {
            problems = [RouteProblem(route: RouteTable.maximumRoutes, reason: .tooManyRoutes)]
            return
        }
        for (index, definition) in definitions.enumerated() { parse(definition, index) }
        // Without the invalid routes, further checks would report errors that do not exist.
        guard problems.isEmpty else { return }
        build()
        guard problems.isEmpty else { return }
        checkBounds()
        guard problems.isEmpty else { return }
        problems = ShadowCheck(RouteTable(self)).run(placements)
    }

    // MARK: Parsing

    private mutating func parse(_ definition: RouteDefinition, _ index: Int) {
        methods.append(parseMethods(definition.methods, index))
        routeHosts.append(parseHosts(definition.hosts, index))
        do {
            let pattern = try RoutePattern(
                definition.pattern, encodedSlashes: definition.encodedSlashes,
                caseInsensitive: definition.caseInsensitive)
            routes.append(
                RouteTable.Route(
                    pattern: pattern, mergesSlashes: definition.mergeSlashes,
                    keepsEncodedSlashes: definition.encodedSlashes == .keep,
                    caseInsensitive: definition.caseInsensitive,
                    stripPrefix: parseStripPrefix(definition, pattern, index),
                    template: parseRewrite(definition, pattern, index)))
        } catch {
            problems.append(RouteProblem(route: index, reason: .pattern(error)))
        }
    }

    private mutating func parseStripPrefix(
        _ definition: RouteDefinition, _ pattern: RoutePattern, _ index: Int
    ) -> StripPrefix? {
        guard let text = definition.stripPrefix else { return nil }
        do {
            let prefix = try StripPrefix(text, route: definition)
            if !prefix.canApply(to: pattern) {
                problems.append(RouteProblem(route: index, reason: .stripPrefixNeverApplies))
            }
            return prefix.count > 0 ? prefix : nil
        } catch {
            problems.append(RouteProblem(route: index, reason: .stripPrefix(error)))
            return nil
        }
    }

    private mutating func parseRewrite(
        _ definition: RouteDefinition, _ pattern: RoutePattern, _ index: Int
    ) -> PathTemplate? {
        guard let text = definition.rewrite else { return nil }
        do {
            return try PathTemplate(text, pattern: pattern)
        } catch {
            problems.append(RouteProblem(route: index, reason: .rewrite("\(error.what); \(error.remedy)")))
            return nil
        }
    }

    private mutating func parseHosts(_ texts: [String], _ route: Int) -> [HostPattern?] {
        guard !texts.isEmpty else { return [nil] }
        var seen: Set<HostPattern> = []
        var hosts: [HostPattern?] = []
        for (index, text) in texts.enumerated() {
            do {
                let host = try HostPattern(text)
                if seen.insert(host).inserted { hosts.append(host) }
            } catch {
                problems.append(RouteProblem(route: route, reason: .host(error, index: index)))
            }
        }
        return hosts
    }

    private mutating func parseMethods(_ texts: [String], _ route: Int) -> [[UInt8]] {
        var methods: [[UInt8]] = []
        for (index, text) in texts.enumerated() {
            let method = Array(text.utf8)
            if !(1...32).contains(method.count) || !method.allSatisfy(Self.isTokenByte) {
                problems.append(RouteProblem(route: route, reason: .method(index: index)))
            } else if !methods.contains(method) {
                methods.append(method)
            }
        }
        return methods
    }

    /// Returns whether the byte is valid in a token (RFC 9110 section 5.6.2).
    private static func isTokenByte(_ byte: UInt8) -> Bool {
        PathBytes.isLetter(byte) || PathBytes.isDigit(byte) || "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }

    // MARK: Building

    /// Builds one trie for each distinct set of routes, so that hosts with the same routes share it.
    private mutating func build() {
        placements = Array(repeating: [], count: routes.count)
        var order: [HostPattern?] = []
        var members: [HostPattern?: [Int]] = [:]
        for (route, hosts) in routeHosts.enumerated() {
            for host in hosts {
                if members[host] == nil { order.append(host) }
                members[host, default: []].append(route)
            }
        }
        var built: [[Int]: Int32] = [:]
        for host in order {
            guard let group = members[host] else { continue }
            let root = built[group] ?? buildTrie(of: group, host)
            built[group] = root
            hosts.insert(host, root: root)
        }
        for index in endpoints.indices { endpoints[index].finish() }
    }

    private mutating func buildTrie(of group: [Int], _ host: HostPattern?) -> Int32 {
        let root = trie.addRoot()
        for route in group {
            let endpoint = trie.insert(
                routes[route].pattern, caseInsensitive: routes[route].caseInsensitive, root: root,
                endpoint: Int32(endpoints.count))
            if Int(endpoint) == endpoints.count { endpoints.append(RouteEndpoint()) }
            placements[route].append(ShadowCheck.Placement(root: root, endpoint: endpoint))
            add(route, to: Int(endpoint), host)
        }
        return root
    }

    private mutating func add(_ route: Int, to endpoint: Int, _ host: HostPattern?) {
        let equal = endpoints[endpoint].add(
            Int32(route), methods: methods[route], keepsEncodedSlashes: routes[route].keepsEncodedSlashes)
        guard let equal else { return }
        let problem = RouteProblem(
            route: route,
            reason: .equal(
                to: Int(equal.route), host: host.map(\.description),
                method: equal.method.map { String(decoding: $0, as: UTF8.self) }))
        // Reported once, not for each host.
        let isReported = problems.contains { earlier in
            guard earlier.route == route, case .equal(let to, _, _) = earlier.reason else { return false }
            return to == Int(equal.route)
        }
        if !isReported { problems.append(problem) }
    }

    private mutating func checkBounds() {
        let worst = trie.worstCase()
        guard worst.visits > RouteTable.maximumVisits else { return }
        let route = Int(endpoints[Int(worst.endpoint)].firstRoute)
        problems.append(RouteProblem(route: route, reason: .overlap(visits: worst.visits)))
    }
}
