import Routing
import Testing

@testable import SystemFixtures

/// Random route tables, compared with the naive router.
@Suite struct RouteTableDifferentialTests {
    static let literals = ["a", "b", "A", "ab", "7", "@"]
    static let hosts = ["x.com", "a.x.com", "*.x.com", "*.a.x.com"]
    static let methods = ["GET", "HEAD", "PUT"]

    static func pattern(_ random: inout SeededRandom) -> String {
        var pattern = ""
        for index in 0..<Int.random(in: 0...4, using: &random) {
            let isCapture = Int.random(in: 0..<3, using: &random) == 0
            pattern += "/" + (isCapture ? "{c\(index)}" : pick(literals, &random))
        }
        switch Int.random(in: 0..<6, using: &random) {
        case 0: pattern += "/**"
        case 1: pattern += "/{rest=**}"
        case 2: pattern += "/"
        default: break
        }
        return pattern.isEmpty ? "/" : pattern
    }

    static func definition(_ random: inout SeededRandom) -> RouteDefinition {
        RouteDefinition(
            pattern: pattern(&random),
            hosts: hosts.filter { _ in Int.random(in: 0..<6, using: &random) == 0 },
            methods: methods.filter { _ in Int.random(in: 0..<4, using: &random) == 0 },
            mergeSlashes: Int.random(in: 0..<3, using: &random) > 0,
            encodedSlashes: Bool.random(using: &random) ? .keep : .reject,
            caseInsensitive: Int.random(in: 0..<3, using: &random) == 0)
    }

    static func path(_ random: inout SeededRandom) -> String {
        let segments = literals + ["B", "aB", "zz", "%2F", "a%2Fb", "", ".gatehouse"]
        let count = Int.random(in: 0...5, using: &random)
        let path = (0..<count).map { _ in "/" + pick(segments, &random) }.joined()
        return path.isEmpty || Int.random(in: 0..<4, using: &random) == 0 ? path + "/" : path
    }

    static func pick(_ choices: [String], _ random: inout SeededRandom) -> String {
        choices.randomElement(using: &random) ?? ""
    }

    /// A table of random routes, without the routes that have problems.
    static func table(_ random: inout SeededRandom, routes count: Int) throws -> (RouteTable, [RouteDefinition]) {
        var routes = (0..<count).map { _ in definition(&random) }
        while true {
            let bad = Set(problems(with: routes).map(\.route))
            if bad.isEmpty { return (try RouteTable(routes), routes) }
            routes = routes.indices.filter { !bad.contains($0) }.map { routes[$0] }
        }
    }

    @Test(arguments: [1, 2, 3, 4] as [UInt64])
    func `the trie routes like the naive router`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let hosts = ["x.com", "a.x.com", "b.x.com", "b.a.x.com", "y.org", ""]
        for round in 0..<20 {
            let (table, routes) = try Self.table(&random, routes: round < 14 ? 8 : 60)
            let naive = NaiveRouter(routes: routes)
            for _ in 0..<Thoroughness.rounds(25, full: 100) {
                let path = Self.path(&random)
                let method = Self.pick(Self.methods + ["POST"], &random)
                let host = Self.pick(hosts, &random)
                let routed = table.routed(path, method, host: host)
                let expected = naive.route(path, method, host: host)
                if routed != expected {
                    Issue.record("\(method) \(host) \(path): \(routed), not \(expected), of \(routes)")
                }
            }
        }
    }

    @Test(arguments: [101, 102] as [UInt64])
    func `a forwarded path is routed in the same way when it is sent again`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var matched = 0
        for _ in 0..<20 {
            let (table, _) = try Self.table(&random, routes: 30)
            for _ in 0..<Thoroughness.rounds(25, full: 100) {
                let path = Self.path(&random)
                guard case .route(let index, let forwarded) = table.routed(path) else { continue }
                matched += 1
                if table.routed(forwarded) != .route(index, forwarded) { Issue.record("\(path)") }
            }
        }
        #expect(matched > 100)
    }

    @Test(arguments: [201, 202, 203, 204] as [UInt64])
    func `a route is shadowed exactly when no path reaches it`(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var found = 0
        for _ in 0..<15 {
            let routes = Self.crowdedRoutes(&random)
            let shadowed = Set(problems(with: routes).map(\.route))
            let naive = NaiveRouter(routes: routes)
            let reached = Self.allPaths.compactMap { path -> Int? in
                guard case .route(let index, _) = naive.route(path, "GET", host: "") else { return nil }
                return index
            }
            #expect(shadowed == Set(routes.indices).subtracting(reached), "\(routes)")
            found += shadowed.count
        }
        #expect(found > 0)
    }

    /// Routes with few literals. No two routes are equal, but some can be shadowed.
    private static func crowdedRoutes(_ random: inout SeededRandom) -> [RouteDefinition] {
        let pieces = ["/a", "/A", "/7", "/{x}", "/{x}"]
        let routes = (0..<16).map { _ in
            let depth = Int.random(in: 0...2, using: &random)
            var segments = (0..<depth).map { pick(pieces, &random).replacing("x", with: "x\($0)") }
            if Bool.random(using: &random) || segments.isEmpty { segments.append("/**") }
            return RouteDefinition(
                pattern: segments.joined(), caseInsensitive: Int.random(in: 0..<3, using: &random) == 0)
        }
        let equal = problems(with: routes).filter { if case .equal = $0.reason { true } else { false } }.map(\.route)
        return routes.indices.filter { !equal.contains($0) }.map { routes[$0] }
    }

    /// Every path of at most three segments over an alphabet with one more segment than the literals.
    private static let allPaths: [String] = {
        let segments = ["a", "A", "7", "zz"]
        var paths = ["/"]
        var level = [""]
        for _ in 0..<3 {
            level = level.flatMap { path in segments.map { "\(path)/\($0)" } }
            paths += level
        }
        return paths
    }()
}
