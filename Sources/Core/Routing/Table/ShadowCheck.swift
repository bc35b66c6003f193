/// A check for routes that no request can match, because more specific patterns match all their paths.
///
/// It tests witnesses: paths that the pattern and as few others as possible match. For a capture, a segment that
/// equals no literal. For `**`, each number of such segments up to one more than the depth of the deepest pattern.
/// For a case-insensitive literal, a spelling that is not an exact literal. If other patterns match all witnesses,
/// they match every path of the pattern.
struct ShadowCheck {
    /// The position of a route in the trie.
    struct Placement {
        var root: Int32
        var endpoint: Int32
    }

    /// The maximum number of witnesses of one length. A pattern with more counts as reachable.
    private static let maximumWitnesses = 1024

    private let table: RouteTable
    private let scratch = PathScratch()
    /// A segment that is longer than any literal.
    private let fresh: [UInt8]
    /// The exact literals of all patterns by their folded form.
    private let exactSpellings: [[UInt8]: Set<[UInt8]>]

    init(_ table: RouteTable) {
        self.table = table
        fresh = Array(repeating: UInt8(ascii: "x"), count: table.trie.longestLiteral + 1)
        var spellings: [[UInt8]: Set<[UInt8]>] = [:]
        for route in table.routes where !route.caseInsensitive {
            for case .literal(let key) in route.pattern.segments {
                spellings[key.map(PathBytes.lowercased), default: []].insert(key)
            }
        }
        exactSpellings = spellings
    }

    /// Returns the routes that no request can match.
    ///
    /// - Parameter placements: The positions of each route, one for each trie.
    func run(_ placements: [[Placement]]) -> [RouteProblem] {
        var problems: [RouteProblem] = []
        for (route, places) in placements.enumerated() where canBeShadowed(table.routes[route]) {
            let spellings = spellings(of: table.routes[route])
            guard let spellings else { continue }
            var others: Set<Int> = []
            let isReached = places.contains { isReachable(route, at: $0, spellings, &others) }
            if !isReached { problems.append(RouteProblem(route: route, reason: .shadowed(by: others.sorted()))) }
        }
        return problems
    }

    /// A pattern of only exact literals and captures can only be shadowed by an equal one, which is already reported.
    private func canBeShadowed(_ route: RouteTable.Route) -> Bool {
        route.pattern.rest != .none || route.caseInsensitive
    }

    private func isReachable(
        _ route: Int, at place: Placement, _ spellings: [[[UInt8]]], _ others: inout Set<Int>
    ) -> Bool {
        let hasRest = table.routes[route].pattern.rest != .none
        let longest = hasRest ? table.trie.depth + 1 - spellings.count : 0
        for count in 0...longest {
            let rest = Array(repeating: [fresh], count: count)
            for path in Self.products(of: spellings + rest) {
                let winner = winner(of: path, from: place.root)
                if winner == place.endpoint { return true }
                others.insert(Int(table.endpoints[Int(winner)].firstRoute))
            }
        }
        return false
    }

    private func winner(of path: [UInt8], from root: Int32) -> Int32 {
        path.withUnsafeBytes { bytes in
            var visits = 0
            scratch.split(bytes, limit: table.segmentLimit, longestKey: table.trie.longestLiteral)
            return table.trie.find(from: root, scratch.segments, visits: &visits)
        }
    }

    // MARK: Witnesses

    /// Returns the spellings to try for each segment. `nil` if there are too many.
    private func spellings(of route: RouteTable.Route) -> [[[UInt8]]]? {
        let spellings = route.pattern.segments.map { segment -> [[UInt8]] in
            switch segment {
            case .capture: [fresh]
            case .literal(let key): route.caseInsensitive ? self.spellings(of: key) : [key]
            }
        }
        var count = 1
        for choices in spellings { count = min(count * choices.count, Self.maximumWitnesses + 1) }
        return count <= Self.maximumWitnesses ? spellings : nil
    }

    /// Returns a spelling that is not an exact literal. If all spellings are exact literals, returns all of them.
    private func spellings(of key: [UInt8]) -> [[UInt8]] {
        let taken = exactSpellings[key.map(PathBytes.lowercased)] ?? []
        let letters = Self.freeLetters(of: key)
        let total = 1 << min(letters.count, 30)
        for number in 0..<min(total, taken.count + 1) {
            let spelling = Self.spelling(number, of: key, letters)
            if !taken.contains(spelling) { return [spelling] }
        }
        return (0..<total).map { Self.spelling($0, of: key, letters) }
    }

    /// Returns the letters of a key that can have either case. Digits of escapes are always in upper case.
    private static func freeLetters(of key: [UInt8]) -> [Int] {
        key.indices.filter { index in
            PathBytes.isLetter(key[index]) && !key[max(0, index - 2)..<index].contains(PathBytes.percent)
        }
    }

    private static func spelling(_ number: Int, of key: [UInt8], _ letters: [Int]) -> [UInt8] {
        var spelling = key
        for (bit, index) in letters.prefix(30).enumerated() {
            spelling[index] = number >> bit & 1 == 1 ? key[index] & ~0x20 : key[index] | 0x20
        }
        return spelling
    }

    /// Returns all paths with one choice for each segment.
    private static func products(of choices: [[[UInt8]]]) -> [[UInt8]] {
        var paths: [[UInt8]] = [[]]
        for segment in choices {
            paths = paths.flatMap { path in segment.map { path + [PathBytes.slash] + $0 } }
        }
        return paths.map { $0.isEmpty ? [PathBytes.slash] : $0 }
    }
}
