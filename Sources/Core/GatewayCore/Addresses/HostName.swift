import HTTPWire

/// Validation of host names and host patterns.
package enum HostName {
    /// Returns whether the host is a name of labels or an IPv4 address, in lower case.
    package static func isValid(_ host: String) -> Bool {
        guard (1...253).contains(host.utf8.count) else { return false }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.allSatisfy(isLabel), let last = labels.last else { return false }
        // A name whose last label is a number must be an IPv4 address.
        let endsInNumber = last.utf8.allSatisfy { (0x30...0x39).contains($0) }
        return !endsInNumber || IPAddress(host) != nil
    }

    /// Returns whether the host is valid in a route: a name, an IP address (IPv6 in brackets), or `*.` and a name.
    package static func isPattern(_ host: String) -> Bool {
        if host.hasPrefix("[") && host.hasSuffix("]") {
            return host.contains(":") && IPAddress(host.dropFirst().dropLast()) != nil
        }
        if host.hasPrefix("*.") {
            let suffix = String(host.dropFirst(2))
            return isValid(suffix) && IPAddress(suffix) == nil
        }
        return isValid(host)
    }

    private static func isLabel(_ label: Substring) -> Bool {
        guard (1...63).contains(label.utf8.count), label.first != "-", label.last != "-" else { return false }
        return label.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
