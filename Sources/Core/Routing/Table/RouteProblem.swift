/// An error of one route of a table.
package struct RouteProblem: Hashable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package enum Reason: Hashable, Sendable {
        /// An invalid pattern.
        case pattern(PatternError)
        /// An invalid `strip_prefix`.
        case stripPrefix(PatternError)
        /// No path that the pattern matches begins with the `strip_prefix`.
        case stripPrefixNeverApplies
        /// An invalid `rewrite`: the problem and its remedy.
        case rewrite(String)
        /// An invalid host, with its index in the list.
        case host(HostPatternError, index: Int)
        /// A method that is not a token of at most 32 bytes, with its index in the list.
        case method(index: Int)
        /// An earlier route has the same host, the same path pattern except for names, and the same method. `nil`
        /// means any host or any method.
        case equal(to: Int, host: String?, method: String?)
        /// The more specific patterns of these routes match every path of the route.
        case shadowed(by: [Int])
        /// The patterns overlap so much that matching one path could visit this many nodes.
        case overlap(visits: Int)
        /// More routes than `RouteTable.maximumRoutes`.
        case tooManyRoutes
    }

    /// The index of the route in the definitions.
    package let route: Int
    /// The kind of error.
    package let reason: Reason

    /// The problem and its remedy. Other routes are named by their index.
    package var description: String {
        switch reason {
        case .pattern(let error): "path: \(error)"
        case .stripPrefix(let error): "strip_prefix: \(error)"
        case .stripPrefixNeverApplies:
            "strip_prefix is not a prefix of any path of this route; write the leading literals of 'path'"
        case .rewrite(let problem): "rewrite.path: \(problem)"
        case .host(let error, _): "host: \(error.text)"
        case .method: "not a method; use a name such as GET"
        case .equal(let other, let host, let method):
            "the same as route \(other) for \(host ?? "any host") and \(method ?? "any method"); remove one"
        case .shadowed(let others):
            "no request can match, since the more specific routes \(others) match all its paths; remove it or change one of them"
        case .overlap(let visits):
            "routes overlap so much that a match could take \(visits) steps, of \(RouteTable.maximumVisits) at most; "
                + "use fewer captures in positions where other routes have literals"
        case .tooManyRoutes: "more than \(RouteTable.maximumRoutes) routes; use captures"
        }
    }
}

/// All errors of the routes of a table.
package struct RouteTableError: Error, Sendable {
    /// The errors in the order of the routes; never empty.
    package let problems: [RouteProblem]
}

extension HostPatternError {
    fileprivate var text: String {
        switch self {
        case .anyHost: "empty or '*'; omit 'host' to match any host"
        case .port: "has a port, which is not compared; remove it"
        case .wildcard: "'*' can only be the whole first label, as in '*.example.com'"
        case .notAHost: "not a host name or an IPv6 address in brackets; write names in ASCII (punycode)"
        }
    }
}
