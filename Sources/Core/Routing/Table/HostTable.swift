/// A map from a request's host to the root of the trie with its routes: the exact host, then the longest `*.` suffix,
/// then any host.
struct HostTable: Sendable {
    /// The root for all other hosts. -1 without such a root.
    private(set) var anyRoot: Int32 = -1
    private var names = KeyTable()

    private static let exactScope: Int32 = 0
    private static let wildcardScope: Int32 = 1

    /// Adds a host once. `nil` is any host.
    mutating func insert(_ host: HostPattern?, root: Int32) {
        guard let host else {
            anyRoot = root
            return
        }
        var hash: UInt64 = 0
        for byte in host.name.reversed() { hash = Self.mix(hash, byte) }
        names.insert(
            scope: host.isWildcard ? Self.wildcardScope : Self.exactScope, hash: Self.finish(hash), key: host.name,
            isFolded: true, value: root)
    }

    /// Returns the root for the value of a `Host` field, or -1. The port and a trailing dot are ignored.
    @inline(__always)
    func root(for host: UnsafeRawBufferPointer) -> Int32 {
        names.count == 0 ? anyRoot : namedRoot(for: Self.name(in: host))
    }

    /// Makes one pass from the end of the name, so that the hash of each suffix is known at its dot.
    private func namedRoot(for name: UnsafeRawBufferPointer) -> Int32 {
        var hash: UInt64 = 0
        var wildcard: Int32 = -1
        var index = name.count
        while index > 0, name.count - index < names.longestKey {
            index -= 1
            hash = Self.mix(hash, name[index])
            guard name[index] == PathBytes.dot, index > 0, name[index - 1] != PathBytes.dot else { continue }
            let suffix = UnsafeRawBufferPointer(rebasing: name[index...])
            let found = names.find(scope: Self.wildcardScope, hash: Self.finish(hash), key: suffix).folded
            if found >= 0 { wildcard = found }
        }
        if index == 0, !name.isEmpty {
            let exact = names.find(scope: Self.exactScope, hash: Self.finish(hash), key: name).folded
            if exact >= 0 { return exact }
        }
        return wildcard >= 0 ? wildcard : anyRoot
    }

    /// Returns the host without its port and a trailing dot.
    static func name(in host: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if host.first == UInt8(ascii: "["), let end = host.firstIndex(of: UInt8(ascii: "]")) {
            return UnsafeRawBufferPointer(rebasing: host[...end])
        }
        var end = host.firstIndex(of: UInt8(ascii: ":")) ?? host.count
        if end > 1, host[end - 1] == PathBytes.dot { end -= 1 }
        return UnsafeRawBufferPointer(rebasing: host[..<end])
    }

    @inline(__always)
    private static func mix(_ hash: UInt64, _ byte: UInt8) -> UInt64 {
        (hash ^ UInt64(byte | 0x20)) &* 0x100_0000_01B3 &+ 1
    }

    private static func finish(_ hash: UInt64) -> UInt32 {
        UInt32(truncatingIfNeeded: hash ^ (hash >> 32))
    }
}
