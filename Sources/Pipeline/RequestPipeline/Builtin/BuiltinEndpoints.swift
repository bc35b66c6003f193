/// The endpoints that the gateway serves itself under `/.gatehouse/`, and the demo page. No request to this prefix is
/// forwarded.
package final class BuiltinEndpoints: Sendable {
    /// An account endpoint with its path.
    package struct Call: Sendable {
        package let endpoint: AccountEndpoint
        package let path: [UInt8]
        package let plan: RoutePlan

        /// Creates an endpoint. `provider` is the ID at the end of the path, if the endpoint has one.
        package init(endpoint: AccountEndpoint, provider: String = "", plan: RoutePlan) {
            self.endpoint = endpoint
            path = Array((endpoint.path + provider).utf8)
            self.plan = plan
        }
    }

    /// The prefix of all of these endpoints.
    package static let prefix = Array("/.gatehouse/".utf8)
    /// The path of the public keys of assertions and session cookies.
    package static let keysPath = Array("/.gatehouse/jwks.json".utf8)

    /// The account endpoints. Empty without accounts.
    package let calls: [Call]
    /// Whether the demo page is served, at `/` and at the prefix itself.
    package let hasPage: Bool

    package init(calls: [Call], hasPage: Bool) {
        self.calls = calls
        self.hasPage = hasPage
    }

    /// Returns whether a path has the prefix.
    @inline(__always)
    static func mayHold(_ path: UnsafeRawBufferPointer) -> Bool {
        path.count >= prefix.count && path[1] == UInt8(ascii: ".") && path.starts(with: prefix)
    }

    /// Returns the endpoint of a path. `nil` if no endpoint matches.
    func endpoint(at path: UnsafeRawBufferPointer) -> (BuiltinEndpoint, Call?)? {
        guard Self.mayHold(path) else { return hasPage && path.elementsEqual("/".utf8) ? (.page, nil) : nil }
        if hasPage, path.count == Self.prefix.count { return (.page, nil) }
        if path.elementsEqual(Self.keysPath) { return (.keys, nil) }
        return calls.first { path.elementsEqual($0.path) }.map { (.account($0.endpoint), $0) }
    }
}
