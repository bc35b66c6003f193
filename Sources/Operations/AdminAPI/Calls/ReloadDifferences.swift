/// The recorded requests that two configurations decide differently.
package struct ReloadDifferences: Sendable, Equatable {
    /// The maximum number of listed changes.
    static let maximumChanges = 50
    /// The methods that are listed by name. Clients choose others freely, and must not fill the list with them.
    private static let methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

    /// The decision of one configuration.
    package struct Outcome: Sendable, Hashable {
        /// The pattern of the route. `nil` without a route.
        package var route: String?
        package var code: String

        /// Creates an outcome.
        package init(route: String?, code: String) {
            self.route = route
            self.code = code
        }
    }

    /// Requests with the same method, and the same decisions before and after.
    package struct Change: Sendable, Equatable {
        package var method: String
        package var before, after: Outcome
        package var count: Int
    }

    /// When the requests were compared, in seconds since 1970.
    package var at: Int64
    /// The number of the later configuration.
    package var generation: UInt64
    package var sampled: Int
    package var compared = 0
    /// The number of requests whose decision depends on something that is not recorded.
    package var undecided = 0
    package private(set) var changes: [Change] = []
    /// The number of requests whose change is not listed.
    package private(set) var omitted = 0

    /// Creates a comparison without results.
    package init(at: Int64, generation: UInt64, sampled: Int) {
        self.at = at
        self.generation = generation
        self.sampled = sampled
    }

    /// Counts one request that is decided differently. An extension method is `other`.
    package mutating func record(method name: String, before: Outcome, after: Outcome) {
        let method = Self.methods.contains(name) ? name : "other"
        let isSame = { (change: Change) in
            change.method == method && change.before == before && change.after == after
        }
        if let index = changes.firstIndex(where: isSame) {
            changes[index].count += 1
        } else if changes.count < Self.maximumChanges {
            changes.append(Change(method: method, before: before, after: after, count: 1))
        } else {
            omitted += 1
        }
    }
}
