import Testing

@testable import Routing

/// Both canonical forms of a path, as text.
struct CanonicalForms: Equatable {
    var merged: String
    var unmerged: String
    var isRewritten: Bool
    var hasEncodedSlash: Bool
}

/// Canonicalizes the bytes of a text.
func canonicalForms(_ path: String) throws(PathError) -> CanonicalForms { try canonicalForms(Array(path.utf8)) }

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
func canonical(_ path: String) throws(PathError) -> String { try canonicalForms(path).merged }

/// The reason why a path is rejected. `nil` if it is accepted.
func refusal(of path: String) -> PathError.Reason? { refusal(of: Array(path.utf8)) }

func refusal(of path: [UInt8]) -> PathError.Reason? {
    do {
        _ = try canonicalForms(path)
        return nil
    } catch {
        return error.reason
    }
}

/// The outcome of routing a request, as text.
enum Routed: Equatable {
    case route(Int, String)
    case notFound
    case methodNotAllowed(String)
    case badPath(PathError.Reason)
}

extension RouteTable {
    /// Routes a request. The text of a route is the forwarded path.
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

    /// The index of the route. `nil` for other outcomes.
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

/// A pattern with the default options.
extension RouteDefinition: ExpressibleByStringLiteral {
    init(stringLiteral pattern: String) { self.init(pattern: pattern) }
}

func routeTable(_ routes: RouteDefinition...) throws(RouteTableError) -> RouteTable { try RouteTable(routes) }

/// The problems of routes.
func problems(with routes: [RouteDefinition]) -> [RouteProblem] {
    do {
        _ = try RouteTable(routes)
        return []
    } catch {
        return error.problems
    }
}

/// Routes, and the expected outcomes of requests: `PATH`, or `METHOD PATH`.
struct RoutingCase: CustomTestStringConvertible, Sendable {
    let testDescription: String
    private let routes: [RouteDefinition]
    private let outcomes: [(request: String, outcome: Routed)]

    init(_ description: String, _ routes: [RouteDefinition], _ outcomes: KeyValuePairs<String, Routed>) {
        testDescription = description
        self.routes = routes
        self.outcomes = outcomes.map { ($0.key, $0.value) }
    }

    func check() throws {
        let table = try RouteTable(routes)
        for (request, outcome) in outcomes {
            let parts = request.split(separator: " ").map(String.init)
            #expect(table.routed(parts[parts.count - 1], parts.count > 1 ? parts[0] : "GET") == outcome, "\(request)")
        }
    }
}
