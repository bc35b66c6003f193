/// A small regular expression as a tree, with the simplest possible matcher, as an oracle for small texts.
indirect enum NaiveRegex {
    case empty
    case letter(Character)
    case anyOf(Set<Character>, negated: Bool)
    case start, end
    case boundary, noBoundary
    case sequence([NaiveRegex])
    case choice([NaiveRegex])
    case group(NaiveRegex, Int)
    case repeated(NaiveRegex, Int, Int?, greedy: Bool)

    /// The text of the pattern.
    var pattern: String {
        switch self {
        case .empty: "(?:)"
        case .letter(let letter): String(letter)
        case .anyOf(let letters, let negated): "[\(negated ? "^" : "")\(String(letters.sorted()))]"
        case .start: "^"
        case .end: "$"
        case .boundary: #"\b"#
        case .noBoundary: #"\B"#
        case .sequence(let parts): parts.map(\.pattern).joined()
        case .choice(let parts): "(?:\(parts.map(\.pattern).joined(separator: "|")))"
        case .group(let inner, _): "(\(inner.pattern))"
        case .repeated(let inner, let low, let high, let greedy):
            "(?:\(inner.pattern))\(Self.count(low, high))\(greedy ? "" : "?")"
        }
    }

    private static func count(_ low: Int, _ high: Int?) -> String {
        switch (low, high) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (0, 1): "?"
        case (_, nil): "{\(low),}"
        case (_, let high?): low == high ? "{\(low)}" : "{\(low),\(high)}"
        }
    }

    /// The possible end offsets of a match that begins at `start`.
    func ends(_ text: [Character], _ start: Int) -> Set<Int> {
        switch self {
        case .empty: [start]
        case .letter(let letter): start < text.count && text[start] == letter ? [start + 1] : []
        case .anyOf(let letters, let negated):
            start < text.count && letters.contains(text[start]) != negated ? [start + 1] : []
        case .start: start == 0 ? [start] : []
        case .end: start == text.count ? [start] : []
        case .boundary: Self.isBoundary(text, start) ? [start] : []
        case .noBoundary: Self.isBoundary(text, start) ? [] : [start]
        case .sequence(let parts): parts.reduce([start]) { starts, part in part.ends(text, from: starts) }
        case .choice(let parts): parts.reduce(into: []) { $0.formUnion($1.ends(text, start)) }
        case .group(let inner, _): inner.ends(text, start)
        case .repeated(let inner, let low, let high, _): inner.repeatedEnds(text, start, low, high)
        }
    }

    private func ends(_ text: [Character], from starts: Set<Int>) -> Set<Int> {
        starts.reduce(into: []) { $0.formUnion(ends(text, $1)) }
    }

    private func repeatedEnds(_ text: [Character], _ start: Int, _ low: Int, _ high: Int?) -> Set<Int> {
        var (ends, found) = (Set([start]), low == 0 ? Set([start]) : [])
        // More repetitions reach no further offsets.
        for turn in 1...(high.map { max($0, 1) } ?? low + text.count + 1) where turn <= high ?? turn {
            ends = self.ends(text, from: ends)
            if turn >= low { found.formUnion(ends) }
        }
        return found
    }

    private static func isBoundary(_ text: [Character], _ place: Int) -> Bool {
        let before = place > 0 && "ab".contains(text[place - 1])
        let after = place < text.count && "ab".contains(text[place])
        return before != after
    }

    /// The preferred match from `start` and its groups, by backtracking.
    ///
    /// Preferences are defined only if no pattern that matches the empty text is repeated.
    func preferred(
        _ text: [Character], _ start: Int, _ groups: [Int: Range<Int>],
        _ next: @escaping (Int, [Int: Range<Int>]) -> (Int, [Int: Range<Int>])?
    ) -> (Int, [Int: Range<Int>])? {
        switch self {
        case .sequence(let parts):
            guard let first = parts.first else { return next(start, groups) }
            return first.preferred(text, start, groups) { end, groups in
                NaiveRegex.sequence(Array(parts.dropFirst())).preferred(text, end, groups, next)
            }
        case .choice(let parts):
            return parts.lazy.compactMap { $0.preferred(text, start, groups, next) }.first
        case .group(let inner, let number):
            return inner.preferred(text, start, groups) { end, groups in
                next(end, groups.merging([number: start..<end]) { $1 })
            }
        case .repeated(let inner, let low, let high, let greedy):
            if high == 0 { return next(start, groups) }
            let again = {
                inner.preferred(text, start, groups) { end, groups in
                    NaiveRegex.repeated(inner, max(low - 1, 0), high.map { $0 - 1 }, greedy: greedy)
                        .preferred(text, end, groups, next)
                }
            }
            if low > 0 { return again() }
            return greedy ? again() ?? next(start, groups) : next(start, groups) ?? again()
        default:
            return ends(text, start).first.flatMap { next($0, groups) }
        }
    }

    /// The text with every match replaced by `<match|group 1>`.
    func replaced(_ text: [Character]) -> String {
        var (output, place, lastEnd) = ("", 0, -1)
        while place <= text.count {
            guard let (start, end, groups) = search(text, place) else { break }
            output += String(text[place..<start])
            if start == end, start == lastEnd {
                if start < text.count { output.append(text[start]) }
                place = start + 1
            } else {
                output += "<\(String(text[start..<end]))|\(groups[1].map { String(text[$0]) } ?? "")>"
                (place, lastEnd) = (end, end)
            }
        }
        return output + String(text[min(place, text.count)...])
    }

    private func search(_ text: [Character], _ from: Int) -> (Int, Int, [Int: Range<Int>])? {
        for start in from...text.count {
            if let (end, groups) = preferred(text, start, [:], { ($0, $1) }) { return (start, end, groups) }
        }
        return nil
    }

    var isNullable: Bool {
        switch self {
        case .empty, .start, .end, .boundary, .noBoundary: true
        case .letter, .anyOf: false
        case .sequence(let parts): parts.allSatisfy(\.isNullable)
        case .choice(let parts): parts.contains { $0.isNullable }
        case .group(let inner, _): inner.isNullable
        case .repeated(let inner, let low, _, _): low == 0 || inner.isNullable
        }
    }
}
