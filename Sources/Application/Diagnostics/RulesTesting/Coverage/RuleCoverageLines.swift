import SecurityRules

/// The lines of a source, marked with their coverage.
struct RuleCoverageLines {
    /// The coverage of a point. The lowest of its points applies to a line.
    enum Grade: String, Comparable {
        case none, part, full

        init(_ point: RuleCoverage.Point) {
            self = point.missing == nil ? .full : point.seen == 0 ? .none : .part
        }

        static func < (lhs: Grade, rhs: Grade) -> Bool { lhs.rank < rhs.rank }

        private var rank: Int {
            switch self {
            case .none: 0
            case .part: 1
            case .full: 2
            }
        }
    }

    /// The part of a point on one line, as 0-based columns.
    private struct Span {
        let columns: Range<Int>
        let point: RuleCoverage.Point
    }

    private let source: RuleCoverage.Source
    /// The spans by line, each point before its parts.
    private let spans: [Int: [Span]]

    init(_ source: RuleCoverage.Source) {
        self.source = source
        var spans: [Int: [Span]] = [:]
        for point in source.points {
            let last = min(point.end.line, source.firstLine + source.lines.count - 1)
            guard point.location.line <= last else { continue }
            for line in max(point.location.line, source.firstLine)...last {
                guard let span = Self.span(of: point, line, source) else { continue }
                spans[line, default: []].append(span)
            }
        }
        self.spans = spans
    }

    private static func span(of point: RuleCoverage.Point, _ line: Int, _ source: RuleCoverage.Source) -> Span? {
        let scalars = source.lines[line - source.firstLine].unicodeScalars
        let indentation = scalars.prefix { $0.properties.isWhitespace }.count
        let start = line == point.location.line ? point.location.column - 1 : indentation
        let end = line == point.end.line ? point.end.column - 1 : scalars.count
        guard start < min(end, scalars.count) else { return nil }
        return Span(columns: start..<min(end, scalars.count), point: point)
    }

    /// Returns the coverage of a line. `nil` if the line has no points.
    func grade(ofLine line: Int) -> Grade? {
        spans[line]?.map { Grade($0.point) }.min()
    }

    /// Returns a line as HTML. Each point is an element with its counts.
    func html(ofLine line: Int) -> String {
        let scalars = Array(source.lines[line - source.firstLine].unicodeScalars)
        var html = ""
        var open: [Int] = []
        var rest = (spans[line] ?? [])[...]
        for column in 0...scalars.count {
            while let end = open.last, end <= column {
                html += "</span>"
                open.removeLast()
            }
            while let span = rest.first, span.columns.lowerBound <= column {
                rest.removeFirst()
                guard column < span.columns.upperBound else { continue }
                html += Self.start(of: span.point)
                // Limited to the enclosing element, because elements must nest.
                open.append(min(span.columns.upperBound, open.last ?? .max))
            }
            if column < scalars.count { html += RuleCoveragePage.escaped(String(scalars[column])) }
        }
        return html
    }

    private static func start(of point: RuleCoverage.Point) -> String {
        let missing = point.missing.map { "\($0); " } ?? ""
        return "<span class=\"\(Grade(point).rawValue)\" title=\"\(missing)\(point.counts)\">"
    }
}
