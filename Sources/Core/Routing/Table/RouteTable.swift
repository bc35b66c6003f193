/// The result of routing a request.
package enum RouteOutcome: Hashable, Sendable {
    /// A route matched.
    case route(RouteMatch)
    /// No route matched (404).
    case notFound
    /// The path has routes, but none for the method (405). See `RouteTable.allow` for the methods.
    case methodNotAllowed(AllowedMethods)
    /// The path is rejected (400).
    case badPath(PathError)
}

/// A matched route.
package struct RouteMatch: Hashable, Sendable {
    /// The index of the route in the definitions.
    package let index: Int
    /// The matched canonical path, which rules evaluate.
    package let path: PathSlice
    /// The forwarded path: `path`, without the route's `strip_prefix`, or the result of its `rewrite`.
    package let forwardedPath: PathSlice
}

/// The methods of the routes of a path.
package struct AllowedMethods: Hashable, Sendable {
    let endpoint: Int32
}

/// All routes, validated, compiled and immutable. A class, so that a request copies one reference.
///
/// A request is matched by host (exact, then the longest `*.`, then any), then by path, then by method (listed, then
/// any). The first match of each step is final; there is no backtracking between steps. Among the patterns on the
/// host that match the whole path, the most specific one is selected. Patterns are compared at the first segment
/// where they differ, in the order literal, case-insensitive literal, `{name}`, end of the pattern, `**`. Only its
/// routes are considered for the method. With `/a/{x}/c` and `/{y}/b/d`, `/a/b/d` selects the second, since the first
/// does not match.
package final class RouteTable: Sendable {
    /// The maximum number of routes in a table.
    package static let maximumRoutes = 100_000
    /// The maximum number of trie nodes that one match may visit. Tables that could need more are rejected.
    package static let maximumVisits = 1024

    /// The properties of a route that matching needs.
    package struct Route: Sendable {
        package var pattern: RoutePattern
        var mergesSlashes: Bool
        var keepsEncodedSlashes: Bool
        var caseInsensitive: Bool
        var stripPrefix: StripPrefix?
        var template: PathTemplate?
    }

    package let routes: [Route]
    let hosts: HostTable
    let trie: RouteTrie
    let endpoints: [RouteEndpoint]
    /// The maximum number of path segments to examine.
    let segmentLimit: Int

    /// Validates and compiles routes. The error lists all problems.
    package convenience init(_ definitions: [RouteDefinition]) throws(RouteTableError) {
        var builder = RouteTableBuilder(definitions)
        builder.run()
        guard builder.problems.isEmpty else { throw RouteTableError(problems: builder.problems) }
        self.init(builder)
    }

    init(_ builder: RouteTableBuilder) {
        routes = builder.routes
        hosts = builder.hosts
        trie = builder.trie
        endpoints = builder.endpoints
        let strip = builder.routes.reduce(0) { max($0, $1.stripPrefix?.count ?? 0) }
        segmentLimit = max(builder.trie.depth, strip) + 1
    }

    /// Routes a request.
    ///
    /// - Parameters:
    ///   - host: The value of `Host`. An empty one matches only routes for any host.
    ///   - path: The received path of the request target, without the query.
    ///   - method: The received method.
    ///   - scratch: Memory for rewritten paths. Slices in the result refer to it or to `path`.
    package func route(
        host: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer, method: UnsafeRawBufferPointer, scratch: PathScratch
    ) -> RouteOutcome {
        let canonical: CanonicalPath
        do throws(PathError) { canonical = try CanonicalPath(path, scratch: scratch) } catch { return .badPath(error) }
        var visits = 0
        return route(host: host, canonical, in: path, method: method, scratch: scratch, visits: &visits)
    }

    /// Returns the value of `Allow` for a 405. `HEAD` is listed with `GET`.
    package func allow(_ methods: AllowedMethods) -> String {
        endpoints[Int(methods.endpoint)].allow
    }

    // MARK: The steps

    /// Routes like the public method, and adds the number of visited trie nodes to `visits`.
    func route(
        host: UnsafeRawBufferPointer, _ path: CanonicalPath, in bytes: UnsafeRawBufferPointer,
        method: UnsafeRawBufferPointer, scratch: PathScratch, visits: inout Int
    ) -> RouteOutcome {
        let root = hosts.root(for: host)
        let endpoint = root < 0 ? -1 : find(path.merged, from: root, in: bytes, scratch: scratch, &visits)
        let keepsEncodedSlash = endpoint >= 0 && endpoints[Int(endpoint)].keepsEncodedSlashes
        if path.hasEncodedSlash, !keepsEncodedSlash { return .badPath(Self.encodedSlash(in: bytes)) }
        guard endpoint >= 0 else { return .notFound }
        let index = Int(endpoints[Int(endpoint)].route(for: method))
        guard index >= 0 else { return .methodNotAllowed(AllowedMethods(endpoint: endpoint)) }
        let form = routes[index].mergesSlashes ? path.merged : path.unmerged
        if path.hasEmptySegments, !routes[index].mergesSlashes {
            let other = find(form, from: root, in: bytes, scratch: scratch, &visits)
            guard other == endpoint else { return .notFound }
        }
        if path.hasEncodedSlash, !routes[index].keepsEncodedSlashes { return .badPath(Self.encodedSlash(in: bytes)) }
        return forward(index, form, in: bytes, scratch: scratch)
    }

    @inline(__always)
    private func find(
        _ path: PathSlice, from root: Int32, in bytes: UnsafeRawBufferPointer, scratch: PathScratch,
        _ visits: inout Int
    ) -> Int32 {
        let path = scratch.bytes(of: path, in: bytes)
        guard !ReservedPath.contains(path) else { return -1 }
        scratch.split(path, limit: segmentLimit, longestKey: trie.longestLiteral)
        return trie.find(from: root, scratch.segments, visits: &visits)
    }

    /// Removes the route's `strip_prefix` from the path whose segments were split last.
    @inline(__always)
    private func forward(
        _ index: Int, _ path: PathSlice, in bytes: UnsafeRawBufferPointer, scratch: PathScratch
    ) -> RouteOutcome {
        guard let prefix = routes[index].stripPrefix else {
            if let template = routes[index].template {
                return rewrite(index, path, by: template, in: bytes, scratch: scratch)
            }
            return .route(RouteMatch(index: index, path: path, forwardedPath: path))
        }
        let length = prefix.length(in: scratch.segments)
        let forwarded = length < path.range.count ? path.dropping(length) : scratch.root
        if let error = StripPrefix.problem(with: scratch.bytes(of: forwarded, in: bytes)) { return .badPath(error) }
        guard !ReservedPath.contains(scratch.bytes(of: forwarded, in: bytes)) else { return .notFound }
        return .route(RouteMatch(index: index, path: path, forwardedPath: forwarded))
    }

    /// Applies the route's template to the path whose segments were split last.
    private func rewrite(
        _ index: Int, _ path: PathSlice, by template: PathTemplate, in bytes: UnsafeRawBufferPointer,
        scratch: PathScratch
    ) -> RouteOutcome {
        let forwarded: PathSlice
        do throws(PathError) {
            forwarded = try template.write(
                scratch.bytes(of: path, in: bytes), scratch.segments,
                keepsEmptySegments: !routes[index].mergesSlashes, to: scratch)
        } catch {
            return .badPath(error)
        }
        guard !ReservedPath.contains(scratch.bytes(of: forwarded, in: bytes)) else { return .notFound }
        return .route(RouteMatch(index: index, path: path, forwardedPath: forwarded))
    }

    private static func encodedSlash(in path: UnsafeRawBufferPointer) -> PathError {
        let offset = path.indices.first {
            path[$0] == PathBytes.percent && PathBytes.escape(in: path, at: $0) == PathBytes.slash
        }
        return PathError(reason: .encodedSlash, offset: offset ?? 0)
    }
}
