/// A map from hosts to the indices of their patterns. The exact host precedes the longest `*.` suffix, which precedes
/// `*`.
package struct HostMap: Sendable {
    private var table = HostTable()

    /// Creates the map of hosts without a port: exact, `*.example.com`, or `*` for any other host. `nil` for any other
    /// pattern.
    package init?(_ hosts: [String]) {
        for (index, host) in hosts.enumerated() {
            let pattern = host == "*" ? nil : try? HostPattern(host)
            guard pattern != nil || host == "*", let index = Int32(exactly: index) else { return nil }
            table.insert(pattern, root: index)
        }
    }

    /// Returns the index of the pattern for the value of a `Host` field. `nil` if none matches.
    package func index(of host: UnsafeRawBufferPointer) -> Int? {
        let index = table.root(for: host)
        return index < 0 ? nil : Int(index)
    }
}
