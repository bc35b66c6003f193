/// Where a request goes.
package enum RouteOutcome: Hashable, Sendable {
    /// A route matched.
    case route(RouteMatch)
    /// No route (404).
    case notFound
    /// The path has routes, none for the method (405); `RouteTable.allow` tells which methods there are.
    case methodNotAllowed(AllowedMethods)
    /// The path is refused (400).
    case badPath(PathError)
}

/// A route that matched.
package struct RouteMatch: Hashable, Sendable {
    /// The index of the route in the definitions.
    package let index: Int
    /// The canonical path that was matched: what rules see.
    package let path: PathSlice
    /// What is forwarded: `path`, without the route's `strip_prefix`, or as its `rewrite` has it.
    package let forwardedPath: PathSlice
}

/// The methods that a path has routes for.
package struct AllowedMethods: Hashable, Sendable {
    let endpoint: Int32
}

/// All routes, checked and compiled; immutable. A class, so that a request costs no copy of its parts' references.
///
/// A request is matched by host (exact, then the longest `*.`, then any), then by path, then by method (listed, then any). The
/// first step that finds something decides; there is no falling back. By path means: of the patterns on that host that
/// match the whole path, the one that is the most specific at the first segment where they differ, in the order
/// literal, literal without regard to case, `{name}`, end of the pattern, `**`. Only its routes are asked for the method.
/// With `/a/{x}/c` and `/{y}/b/d`, `/a/b/d` goes to the second, since the first does not match.
package final class RouteTable: Sendable {
    /// The most routes in a table.
    package static let maximumRoutes = 100_000
    /// The most trie nodes that one match may visit; tables that could need more are refused.
    package static let maximumVisits = 1024

    /// What a match must know of a route.
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
    /// How many segments of a path are looked at.
    let segmentLimit: Int

    /// Checks and compiles routes. All that is wrong with them is told at once.
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
    ///   - host: the value of `Host`; empty where there is none, which only routes for any host match.
    ///   - path: the path of the request target, as it was received, without the query.
    ///   - method: the method as it was received.
    ///   - scratch: what rewritten paths are written to. Slices in the outcome refer to it or to `path`.
    package func route(
        host: UnsafeRawBufferPointer, path: UnsafeRawBufferPointer, method: UnsafeRawBufferPointer, scratch: PathScratch
    ) -> RouteOutcome {
        let canonical: CanonicalPath
        do throws(PathError) { canonical = try CanonicalPath(path, scratch: scratch) } catch { return .badPath(error) }
        var visits = 0
        return route(host: host, canonical, in: path, method: method, scratch: scratch, visits: &visits)
    }

    /// The value of `Allow` for a 405: `HEAD` is listed with `GET`.
    package func allow(_ methods: AllowedMethods) -> String {
        endpoints[Int(methods.endpoint)].allow
    }

    // MARK: The steps

    /// As the public method; adds the trie nodes that were visited to `visits`.
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

    /// Takes the route's `strip_prefix` off the path whose segments were split last.
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

    /// Writes the path whose segments were split last as the route's template has it.
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
