/// Suggestions for misspelled names.
package enum Spelling {
    /// Returns the candidate nearest to `word`. `nil` if none is near enough.
    package static func suggestion(for word: String, among candidates: [String]) -> String? {
        guard word.utf8.count <= 64 else { return nil }
        let plain = reduced(word)
        if let same = candidates.first(where: { reduced($0) == plain }) { return same }
        let ranked = candidates.map { (name: $0, distance: distance(plain, reduced($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(1, min(plain.count, best.name.utf8.count) / 3) ? best.name : nil
    }

    /// Returns the word without case, `_` and `-`, so that `idleTimeout` equals `idle_timeout`.
    private static func reduced(_ word: String) -> [UInt8] {
        word.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") }
    }

    /// Returns the edit distance: insertions, deletions, replacements and swaps of adjacent bytes.
    private static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var rows = [Array(0...b.count)]
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, rows[i - 1][j - 1] + 1) }
                row.append(best)
            }
            rows.append(row)
        }
        return rows[a.count][b.count]
    }
}
