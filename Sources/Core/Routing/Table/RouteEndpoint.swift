/// The routes of one pattern on one host, by method.
struct RouteEndpoint: Sendable {
    private struct Entry {
        var name: [UInt8]
        var route: Int32
    }

    private var entries: [Entry] = []
    private var any: Int32 = -1

    /// The first route of this endpoint.
    private(set) var firstRoute: Int32 = -1
    /// Whether any route of this endpoint keeps `%2F`.
    private(set) var keepsEncodedSlashes = false
    /// The value of `Allow`, set by `finish`.
    private(set) var allow = ""

    /// Returns the route for a method, or -1. A route that lists the method takes precedence over one for any method.
    @inline(__always)
    func route(for method: UnsafeRawBufferPointer) -> Int32 {
        for index in entries.indices where entries[index].name.count == method.count {
            if Self.equals(entries[index].name, method) { return entries[index].route }
        }
        return any
    }

    @inline(__always)
    private static func equals(_ name: [UInt8], _ method: UnsafeRawBufferPointer) -> Bool {
        for index in name.indices where name[index] != method[index] { return false }
        return true
    }

    /// Adds a route. If there is a route for the same method, returns it without a change; a `nil` method means any
    /// method.
    mutating func add(_ route: Int32, methods: [[UInt8]], keepsEncodedSlashes: Bool) -> (
        route: Int32, method: [UInt8]?
    )? {
        if methods.isEmpty, any >= 0 { return (any, nil) }
        for method in methods {
            if let entry = entries.first(where: { $0.name == method }) { return (entry.route, method) }
        }
        if methods.isEmpty { any = route }
        entries += methods.map { Entry(name: $0, route: route) }
        if firstRoute < 0 { firstRoute = route }
        self.keepsEncodedSlashes = self.keepsEncodedSlashes || keepsEncodedSlashes
        return nil
    }

    /// Adds `HEAD` to the route for `GET` unless a route lists it, and sets `allow`. Must be called once, after all
    /// routes.
    mutating func finish() {
        let get = Array("GET".utf8)
        let head = Array("HEAD".utf8)
        if let route = entries.first(where: { $0.name == get })?.route, !entries.contains(where: { $0.name == head }) {
            entries.append(Entry(name: head, route: route))
        }
        allow = entries.map { String(decoding: $0.name, as: UTF8.self) }.sorted().joined(separator: ", ")
    }
}
