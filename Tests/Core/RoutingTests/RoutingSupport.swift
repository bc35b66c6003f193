@testable import Routing

/// Both canonical forms of a path, as text.
struct CanonicalForms: Equatable {
    var merged: String
    var unmerged: String
    var isRewritten: Bool
    var hasEncodedSlash: Bool
}

/// Canonicalises the bytes of a text.
func canonicalForms(_ path: String) throws(PathError) -> CanonicalForms {
    try canonicalForms(Array(path.utf8))
}

func canonicalForms(_ path: [UInt8], scratch: PathScratch = PathScratch(capacity: 1)) throws(PathError)
    -> CanonicalForms
{
    let result: Result<CanonicalForms, PathError> = path.withUnsafeBytes { bytes in
        Result { () throws(PathError) in
            let canonical = try CanonicalPath(bytes, scratch: scratch)
            return CanonicalForms(
                merged: String(decoding: scratch.bytes(of: canonical.merged, in: bytes), as: UTF8.self),
                unmerged: String(decoding: scratch.bytes(of: canonical.unmerged, in: bytes), as: UTF8.self),
                isRewritten: canonical.merged.isRewritten, hasEncodedSlash: canonical.hasEncodedSlash)
        }
    }
    return try result.get()
}

/// The form that most routes match and forward.
func canonical(_ path: String) throws(PathError) -> String {
    try canonicalForms(path).merged
}

/// Why a path is refused; nil when it is not.
func refusal(of path: String) -> PathError.Reason? {
    refusal(of: Array(path.utf8))
}

func refusal(of path: [UInt8]) -> PathError.Reason? {
    do {
        _ = try canonicalForms(path)
        return nil
    } catch {
        return error.reason
    }
}

/// What a request comes to, as text.
enum Routed: Equatable {
    case route(Int, String)
    case notFound
    case methodNotAllowed(String)
    case badPath(PathError.Reason)
}

extension RouteTable {
    /// Routes a request; the text of a route is what is forwarded.
    func routed(_ path: String, _ method: String = "GET", host: String = "example.com") -> Routed {
        var visits = 0
        return routed(path, method, host: host, visits: &visits)
    }

    func routed(_ path: String, _ method: String = "GET", host: String = "example.com", visits: inout Int) -> Routed {
        let scratch = PathScratch(capacity: 1)
        return withBytes(host, path, method) { host, bytes, method in
            let outcome: RouteOutcome
            do throws(PathError) {
                let path = try CanonicalPath(bytes, scratch: scratch)
                outcome = route(host: host, path, in: bytes, method: method, scratch: scratch, visits: &visits)
            } catch {
                outcome = .badPath(error)
            }
            switch outcome {
            case .route(let match):
                let forwarded = scratch.bytes(of: match.forwardedPath, in: bytes)
                return .route(match.index, String(decoding: forwarded, as: UTF8.self))
            case .notFound: return .notFound
            case .methodNotAllowed(let methods): return .methodNotAllowed(allow(methods))
            case .badPath(let error): return .badPath(error.reason)
            }
        }
    }

    /// The route's index, nil for anything else.
    func routeIndex(_ path: String, _ method: String = "GET", host: String = "example.com") -> Int? {
        guard case .route(let index, _) = routed(path, method, host: host) else { return nil }
        return index
    }

    /// The captures as `name=bytes`.
    func captured(_ path: String) -> [String] {
        let scratch = PathScratch()
        return withBytes("", path, "GET") { host, bytes, method in
            guard case .route(let match) = route(host: host, path: bytes, method: method, scratch: scratch) else {
                return []
            }
            let matched = scratch.bytes(of: match.path, in: bytes)
            return captures(of: match.index, in: matched).map {
                "\($0.name)=\(String(decoding: matched[$0.range], as: UTF8.self))"
            }
        }
    }
}

private func withBytes<R>(
    _ host: String, _ path: String, _ method: String,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> R
) -> R {
    Array(host.utf8).withUnsafeBytes { host in
        Array(path.utf8).withUnsafeBytes { path in
            Array(method.utf8).withUnsafeBytes { method in body(host, path, method) }
        }
    }
}

/// A table of patterns with the default options.
func routeTable(_ patterns: String...) throws(RouteTableError) -> RouteTable {
    try RouteTable(patterns.map { RouteDefinition(pattern: $0) })
}

/// What is wrong with routes; empty when nothing is.
func problems(with routes: [RouteDefinition]) -> [RouteProblem] {
    do {
        _ = try RouteTable(routes)
        return []
    } catch {
        return error.problems
    }
}
