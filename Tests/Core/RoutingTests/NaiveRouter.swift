import Routing

/// The matching rules, applied to each route in turn: a slow and simple reference.
struct NaiveRouter {
    let routes: [RouteDefinition]

    /// The kind of match of a pattern segment, in the order of specificity.
    private enum Rank: Int {
        case exact, folded, capture, end, rest
    }

    /// The outcome for a path without dot segments and without escapes except `%2F`.
    func route(_ path: String, _ method: String, host: String) -> Routed {
        let candidates = routesForHost(host)
        let merged = Self.merged(path)
        let pattern = mostSpecific(candidates, merged)
        let keeps = pattern.contains { routes[$0].encodedSlashes == .keep }
        if path.contains("%2F"), !keeps { return .badPath(.encodedSlash) }
        guard !pattern.isEmpty else { return .notFound }
        guard let index = byMethod(pattern, method) else { return .methodNotAllowed(allow(pattern)) }
        let forwarded = routes[index].mergeSlashes ? merged : path
        if !routes[index].mergeSlashes, path != merged, mostSpecific(candidates, path) != pattern { return .notFound }
        if path.contains("%2F"), routes[index].encodedSlashes == .reject { return .badPath(.encodedSlash) }
        return .route(index, forwarded)
    }

    private func routesForHost(_ host: String) -> [Int] {
        let host = host.lowercased()
        let wildcards = routes.flatMap(\.hosts).map { $0.lowercased() }
            .filter { $0.hasPrefix("*.") && host.hasSuffix($0.dropFirst()) && host.count >= $0.count }
            .sorted { $0.count > $1.count }
        for wanted in [host] + wildcards.prefix(1) {
            let found = routes.indices.filter { routes[$0].hosts.map { $0.lowercased() }.contains(wanted) }
            if !found.isEmpty { return found }
        }
        return routes.indices.filter { routes[$0].hosts.isEmpty }
    }

    /// The routes of the most specific pattern that matches.
    private func mostSpecific(_ candidates: [Int], _ path: String) -> [Int] {
        if path == "/.gatehouse" || path.hasPrefix("/.gatehouse/") { return [] }
        let segments = Self.segments(path)
        let ranked = candidates.compactMap { index in ranks(routes[index], segments).map { (index, $0) } }
        guard let best = ranked.map(\.1).min(by: { $0.lexicographicallyPrecedes($1) }) else { return [] }
        return ranked.filter { $0.1 == best }.map(\.0)
    }

    private func ranks(_ route: RouteDefinition, _ path: [Substring]) -> [Int]? {
        var ranks: [Rank] = []
        let pattern = Self.segments(route.pattern)
        for (index, segment) in pattern.enumerated() {
            if segment == "**" || segment.hasSuffix("=**}") { return (ranks + [.rest]).map(\.rawValue) }
            guard index < path.count, let rank = rank(route, segment, path[index]) else { return nil }
            ranks.append(rank)
        }
        return path.count == pattern.count ? (ranks + [.end]).map(\.rawValue) : nil
    }

    private func rank(_ route: RouteDefinition, _ pattern: Substring, _ segment: Substring) -> Rank? {
        if pattern.hasPrefix("{") { return segment.isEmpty ? nil : .capture }
        let isFolded = route.caseInsensitive && pattern.contains(where: \.isLetter)
        if isFolded { return pattern.lowercased() == segment.lowercased() ? .folded : nil }
        return pattern == segment ? .exact : nil
    }

    private static func segments(_ path: String) -> [Substring] {
        var segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if segments.last == "" { segments.removeLast() }
        return segments
    }

    static func merged(_ path: String) -> String {
        var path = path
        while let range = path.firstRange(of: "//") { path.replaceSubrange(range, with: "/") }
        return path
    }

    private func byMethod(_ candidates: [Int], _ method: String) -> Int? {
        candidates.first { routes[$0].methods.contains(method) }
            ?? candidates.first { method == "HEAD" && routes[$0].methods.contains("GET") }
            ?? candidates.first { routes[$0].methods.isEmpty }
    }

    private func allow(_ candidates: [Int]) -> String {
        var methods = Set(candidates.flatMap { routes[$0].methods })
        if methods.contains("GET") { methods.insert("HEAD") }
        return methods.sorted().joined(separator: ", ")
    }
}
