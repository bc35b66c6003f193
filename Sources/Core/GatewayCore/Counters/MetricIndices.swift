import Synchronization

/// The rows of the counters for routes and upstreams by name, so that counters continue when a reload moves or
/// changes them.
///
/// The rows are allocated before the first request, with spare ones for names of later configurations. When none is
/// free, an unused name loses its row.
package final class MetricIndices: Sendable {
    /// The rows for names of one kind.
    private struct Rows {
        let capacity: Int
        private(set) var names: [String] = []
        private var indices: [String: Int] = [:]

        init(_ names: [String], spare: Int) {
            capacity = Set(names).count + spare
            for name in names { _ = index(of: name) }
        }

        func known(_ name: String) -> Int { indices[name] ?? -1 }

        mutating func index(of name: String) -> Int? {
            if let index = indices[name] { return index }
            guard names.count < capacity else { return nil }
            indices[name] = names.count
            names.append(name)
            return names.count - 1
        }

        /// Reassigns the row of an unwanted name.
        mutating func replace(with name: String, wanted: Set<String>) -> Int? {
            guard let index = names.firstIndex(where: { !wanted.contains($0) }) else { return nil }
            indices[names[index]] = nil
            indices[name] = index
            names[index] = name
            return index
        }
    }

    private struct State {
        var routes: Rows
        var upstreams: Rows
        /// The names of apps. They keep their rows until the process ends.
        var apps: Rows
    }

    /// The names of one configuration.
    package struct Names: Sendable {
        package let routes: [String]
        package let upstreams: [String]

        package init(routes: [String], upstreams: [String]) {
            self.routes = routes
            self.upstreams = upstreams
        }
    }

    /// The rows that were reassigned to other names, and have to be cleared.
    package struct Cleared: Sendable {
        var routes: [Int] = []
        var upstreams: [Int] = []
    }

    /// The minimum number of spare rows of each kind.
    static let spare = 256
    package let routeCapacity: Int
    package let upstreamCapacity: Int
    private let state: Mutex<State>

    /// Creates rows for these names.
    package init(routes: [String], upstreams: [String]) {
        let state = State(
            routes: Rows(routes, spare: max(Self.spare, routes.count)),
            upstreams: Rows(upstreams, spare: max(Self.spare, upstreams.count)),
            apps: Rows([], spare: Self.spare))
        routeCapacity = state.routes.capacity
        upstreamCapacity = state.upstreams.capacity
        self.state = Mutex(state)
    }

    /// The names in the order of their rows.
    package var routeNames: [String] { state.withLock { $0.routes.names } }
    package var upstreamNames: [String] { state.withLock { $0.upstreams.names } }
    package var appNames: [String] { state.withLock { $0.apps.names } }

    /// Returns the row of a name. -1 if it has none, which counts as "no route" or is ignored.
    package func route(_ name: String) -> Int { state.withLock { $0.routes.known(name) } }
    package func upstream(_ name: String) -> Int { state.withLock { $0.upstreams.known(name) } }

    /// Returns the row of an app's name, and assigns one to a new name. -1 if no row is free.
    package func app(_ name: String) -> Int { state.withLock { $0.apps.index(of: name) ?? -1 } }

    /// Assigns a row to each name of a configuration. `nil` if there are not enough.
    ///
    /// - Parameters:
    ///   - next: The names of the next configuration.
    ///   - current: The names of the current configuration, which keep their rows.
    package func adopt(_ next: Names, besides current: Names) -> Cleared? {
        state.withLock { state in
            var rows = state
            let routes = Self.adopt(next.routes, current.routes, &rows.routes)
            let upstreams = Self.adopt(next.upstreams, current.upstreams, &rows.upstreams)
            guard let routes, let upstreams else { return nil }
            state = rows
            return Cleared(routes: routes, upstreams: upstreams)
        }
    }

    private static func adopt(_ names: [String], _ current: [String], _ rows: inout Rows) -> [Int]? {
        let wanted = Set(names).union(current)
        var cleared: [Int] = []
        for name in names where rows.index(of: name) == nil {
            guard let index = rows.replace(with: name, wanted: wanted) else { return nil }
            cleared.append(index)
        }
        return cleared
    }
}
