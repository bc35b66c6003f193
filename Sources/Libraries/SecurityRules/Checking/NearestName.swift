/// Suggestions for misspelled names.
enum NearestName {
    /// The maximum length of compared names, in bytes.
    private static let maximumLength = 64
    /// The maximum number of candidates.
    private static let maximumCandidates = 1024

    /// Returns the nearest candidate. It differs only in case, or by at most two insertions, deletions or
    /// replacements (one for a short name).
    static func of(_ name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.utf8.prefix(maximumLength + 1))
        guard wanted.count <= maximumLength else { return nil }
        let tolerance = wanted.count <= 3 ? 1 : 2
        var nearest: (name: String, distance: Int)?
        for candidate in candidates.prefix(maximumCandidates) {
            let distance = distance(wanted, Array(candidate.utf8.prefix(maximumLength + 1)), tolerance)
            if let distance, distance < nearest?.distance ?? Int.max { nearest = (candidate, distance) }
        }
        return nearest?.name
    }

    /// `nil` if the distance exceeds `tolerance`.
    private static func distance(_ a: [UInt8], _ b: [UInt8], _ tolerance: Int) -> Int? {
        if a.count == b.count, zip(a, b).allSatisfy({ lowercased($0) == lowercased($1) }) { return 0 }
        guard abs(a.count - b.count) <= tolerance, b.count <= maximumLength, b.count > 1 else { return nil }
        var previous = Array(0...b.count)
        for (row, byte) in a.enumerated() {
            var current = [row + 1]
            for column in b.indices {
                let changed = previous[column] + (byte == b[column] ? 0 : 1)
                current.append(min(changed, previous[column + 1] + 1, current[column] + 1))
            }
            // The minimum of a row never decreases.
            guard current.contains(where: { $0 <= tolerance }) else { return nil }
            previous = current
        }
        guard let distance = previous.last, distance <= tolerance, distance < a.count else { return nil }
        return distance
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
