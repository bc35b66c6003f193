internal import Routing
internal import WireFuzzTargets

/// A table with each option that concerns paths.
private let table: RouteTable? = try? RouteTable([
    RouteDefinition(pattern: "/"),
    RouteDefinition(pattern: "/admin/**"),
    RouteDefinition(pattern: "/users/{uid}/{rest=**}"),
    RouteDefinition(pattern: "/api/v1/{rest=**}", stripPrefix: "/api/v1"),
    RouteDefinition(pattern: "/raw/**", mergeSlashes: false, encodedSlashes: .keep),
    RouteDefinition(pattern: "/raw/inner/**", encodedSlashes: .keep, stripPrefix: "/raw/inner"),
    RouteDefinition(pattern: "/folder/{name}/@me", caseInsensitive: true),
    RouteDefinition(pattern: "/strip/{x}/**", mergeSlashes: false, stripPrefix: "/strip"),
])

/// A path goes to one route, whose forwarded path is canonical and the matched one without the prefix. Sent again as it
/// was forwarded, it goes to the same route: nobody behind can see another path than was decided on.
func checkRoutes(_ path: UnsafeRawBufferPointer) {
    guard let table else { return require(false, "the routes are valid") }
    let scratch = PathScratch(capacity: 8)
    guard case .route(let match) = route(path, table, scratch) else { return }
    let matched = [UInt8](scratch.bytes(of: match.path, in: path))
    let forwarded = [UInt8](scratch.bytes(of: match.forwardedPath, in: path))
    PathProperties(matched).check()
    PathProperties(forwarded).check()
    require(matched.reversed().starts(with: forwarded.reversed()) || forwarded == [0x2F], "only a prefix is taken off")
    require(!isReserved(matched) && !isReserved(forwarded), "what is reserved is not forwarded")
    require(belongs(match.index, matched), "the route is the one that its path tells")
    matched.withUnsafeBytes { bytes in
        guard case .route(let again) = route(bytes, table, scratch) else {
            return require(false, "a matched path matches")
        }
        require(again.index == match.index, "a matched path goes where it went")
        require(scratch.bytes(of: again.path, in: bytes).elementsEqual(matched), "and is matched as it is")
        require(scratch.bytes(of: again.forwardedPath, in: bytes).elementsEqual(forwarded), "and forwarded as it was")
    }
}

private func route(_ path: UnsafeRawBufferPointer, _ table: RouteTable, _ scratch: PathScratch) -> RouteOutcome {
    [UInt8]("GET".utf8).withUnsafeBytes { method in
        table.route(host: UnsafeRawBufferPointer(start: nil, count: 0), path: path, method: method, scratch: scratch)
    }
}

/// `/.gatehouse` and what is below it, decoded as services decode.
private func isReserved(_ path: [UInt8]) -> Bool {
    let text = PathProperties.decoded(path)
    return text == Array("/.gatehouse".utf8) || text.starts(with: "/.gatehouse/".utf8)
}

/// Whether a plain reading of the first segments, as a service would read them, agrees with the route.
private func belongs(_ route: Int, _ path: [UInt8]) -> Bool {
    let segments = PathProperties(path).merged.dropFirst().split(separator: UInt8(ascii: "/")).map {
        String(decoding: PathProperties.decoded(Array($0)), as: UTF8.self)
    }
    switch segments.first {
    case nil: return route == 0
    case "admin": return route == 1
    case "users": return route == 2
    case "api": return route == 3
    case "raw": return route == (segments.dropFirst().first == "inner" ? 5 : 4)
    case "strip": return route == 7
    default: return route == 6 && segments.first?.lowercased() == "folder" && segments.count == 3
    }
}
