/// Counters by name, for a bounded number of names.
struct CallCounter {
    /// The maximum number of names. Further names are not counted.
    static let mostNames = 65_536

    // Keyed by bytes, because equal strings may differ in their bytes.
    private var counts: [[UInt8]: Int] = [:]

    func count(_ name: String) -> Int { counts[Array(name.utf8)] ?? 0 }

    mutating func add(_ name: String) {
        let name = Array(name.utf8)
        guard counts[name] != nil || counts.count < Self.mostNames else { return }
        counts[name, default: 0] += 1
    }
}
