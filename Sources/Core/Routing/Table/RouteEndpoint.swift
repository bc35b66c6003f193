/// The routes of one pattern on one host, told apart by method.
struct RouteEndpoint: Sendable {
    private struct Entry {
        var name: [UInt8]
        var route: Int32
    }

    private var entries: [Entry] = []
    private var any: Int32 = -1

    /// Some route of this endpoint; the first that was added.
    private(set) var firstRoute: Int32 = -1
    /// Whether a route of this endpoint keeps `%2F`.
    private(set) var keepsEncodedSlashes = false
    /// The value of `Allow`, made by `finish`.
    private(set) var allow = ""

    /// The route for a method, -1 for none. A listed method goes before any.
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

    /// Adds a route. A route that is there for the same method (nil: for any method) comes back, and then nothing changes.
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

    /// Lets `GET` cover `HEAD` where no route lists it, and writes `allow`. Call it once, after all routes.
    mutating func finish() {
        let get = Array("GET".utf8)
        let head = Array("HEAD".utf8)
        if let route = entries.first(where: { $0.name == get })?.route, !entries.contains(where: { $0.name == head }) {
            entries.append(Entry(name: head, route: route))
        }
        allow = entries.map { String(decoding: $0.name, as: UTF8.self) }.sorted().joined(separator: ", ")
    }
}
