import PrintableText

/// A text table with aligned columns. Each cell is escaped to stay on its line.
struct TextTable {
    private var rows: [[String]]

    init(header: [String]) {
        rows = [header]
    }

    mutating func add(_ row: [String]) {
        rows.append(row.map { PrintableText.escaped($0) })
    }

    /// One line per row, without trailing spaces.
    var lines: [String] {
        let columns = rows.map(\.count).max() ?? 0
        let widths = (0..<columns).map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell + String(repeating: " ", count: widths[column] - cell.count + 2)
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
