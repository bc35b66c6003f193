/// Counts by name, of a bounded number of names.
struct CallCounter {
    /// How many names are counted apart; any more are not counted.
    static let mostNames = 65_536

    // Names are their bytes: equal strings may differ in them.
    private var counts: [[UInt8]: Int] = [:]

    func count(_ name: String) -> Int { counts[Array(name.utf8)] ?? 0 }

    mutating func add(_ name: String) {
        let name = Array(name.utf8)
        guard counts[name] != nil || counts.count < Self.mostNames else { return }
        counts[name, default: 0] += 1
    }
}
