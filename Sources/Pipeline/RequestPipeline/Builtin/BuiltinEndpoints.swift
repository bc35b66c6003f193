/// What the gateway serves itself under `/.gatehouse/`, where it forwards nothing.
package final class BuiltinEndpoints: Sendable {
    /// An account endpoint, at the one spelling of its path.
    package struct Call: Sendable {
        package let endpoint: AccountEndpoint
        package let path: [UInt8]
        package let plan: RoutePlan

        package init(endpoint: AccountEndpoint, plan: RoutePlan) {
            self.endpoint = endpoint
            path = Array(endpoint.path.utf8)
            self.plan = plan
        }
    }

    /// No path outside of these endpoints begins with it.
    package static let prefix = Array("/.gatehouse/".utf8)
    /// The path of the public keys of assertions and session cookies.
    package static let keysPath = Array("/.gatehouse/jwks.json".utf8)

    /// Empty without accounts.
    package let calls: [Call]
    /// Whether the demo page is served, at the prefix itself.
    package let hasPage: Bool

    package init(calls: [Call], hasPage: Bool) {
        self.calls = calls
        self.hasPage = hasPage
    }

    /// Whether a path is one under the prefix.
    @inline(__always)
    static func mayHold(_ path: UnsafeRawBufferPointer) -> Bool {
        path.count >= prefix.count && path[1] == UInt8(ascii: ".") && path.starts(with: prefix)
    }

    /// The endpoint at a path; `nil` if there is none.
    func endpoint(at path: UnsafeRawBufferPointer) -> (BuiltinEndpoint, Call?)? {
        guard Self.mayHold(path) else { return nil }
        if hasPage, path.count == Self.prefix.count { return (.page, nil) }
        if path.elementsEqual(Self.keysPath) { return (.keys, nil) }
        return calls.first { path.elementsEqual($0.path) }.map { (.account($0.endpoint), $0) }
    }
}
