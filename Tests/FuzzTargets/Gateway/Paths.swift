internal import Routing
internal import WireFuzzTargets

/// Paths: the canonical form, and that what routes match is what is forwarded.
///
/// The input is the path of a request target.
public func fuzzPaths(_ input: UnsafeRawBufferPointer) {
    withExactCopy(input) { path in
        checkCanonical(path)
        checkRoutes(path)
    }
}

private func checkCanonical(_ path: UnsafeRawBufferPointer) {
    let scratch = PathScratch(capacity: 8)
    guard let canonical = try? CanonicalPath(path, scratch: scratch) else { return }
    require(path.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"#?\\".utf8.contains($0) }, "no byte that splits is accepted")
    let merged = [UInt8](scratch.bytes(of: canonical.merged, in: path))
    let unmerged = [UInt8](scratch.bytes(of: canonical.unmerged, in: path))
    for form in [merged, unmerged] {
        require(form.count <= path.count, "a canonical path is no longer")
        PathProperties(form).check()
        checkIdempotent(form)
    }
    require(!PathProperties(merged).hasEmptySegments, "a merged path has no empty segments")
    require(canonical.hasEmptySegments == (merged != unmerged), "the forms differ by empty segments alone")
    require(PathProperties(unmerged).merged == merged, "merging is all that tells the forms apart")
    require(canonical.hasEncodedSlash || !PathProperties(merged).hasEncodedSlash, "an encoded slash is told")
}

/// The canonical form of a canonical form is itself, and taken without a copy unless it needs a closer look.
private func checkIdempotent(_ form: [UInt8]) {
    let scratch = PathScratch(capacity: 8)
    form.withUnsafeBytes { bytes in
        guard let again = try? CanonicalPath(bytes, scratch: scratch) else {
            return require(false, "a canonical path is accepted")
        }
        require(scratch.bytes(of: again.unmerged, in: bytes).elementsEqual(form), "canonicalising is idempotent")
    }
}

/// A table with each option for paths.
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

/// A path has one route, and its forwarded path is canonical: the matched one without the prefix. The matched path has
/// the same route: the decision and the upstream see the same path.
private func checkRoutes(_ path: UnsafeRawBufferPointer) {
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

/// Whether the first segments, decoded by a service, belong to the route.
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
