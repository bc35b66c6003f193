/// The patterns of all hosts as one flat trie: an array of nodes, and one hash table of their literal edges.
///
/// At each node, a match tries the literal, the case-insensitive literal, `{name}`, and last `**`. So the first
/// complete match is the most specific pattern by segment order. The cost is the number of visited nodes: the
/// pattern's depth plus failed attempts. `worstCase` bounds it for all paths.
struct RouteTrie: Sendable {
    /// A node. -1 means none in each field.
    struct Node {
        /// The child for `{name}`.
        var capture: Int32 = -1
        /// The endpoint of the pattern that ends here.
        var endpoint: Int32 = -1
        /// The endpoint of the pattern that ends here with `**`.
        var rest: Int32 = -1
        var hasLiterals = false
    }

    private enum Edge { case root, exact, folded, capture }

    private var nodes: [Node] = []
    private var origins: [(parent: Int32, edge: Edge)] = []
    private var literals = KeyTable()

    /// The maximum number of segments of a pattern.
    private(set) var depth = 0
    /// The size of the longest literal's key.
    var longestLiteral: Int { literals.longestKey }

    /// The maximum number of slots that a lookup of a literal probes.
    var longestProbe: Int { literals.longestProbe }

    // MARK: Matching

    /// Returns the endpoint of the most specific pattern that matches all segments, or -1. Adds the number of visited
    /// nodes to `visits`.
    func find(from node: Int32, _ segments: UnsafeBufferPointer<PathSegment>, visits: inout Int) -> Int32 {
        descend(node, segments, 0, &visits)
    }

    private func descend(
        _ index: Int32, _ segments: UnsafeBufferPointer<PathSegment>, _ position: Int, _ visits: inout Int
    ) -> Int32 {
        visits += 1
        let node = nodes[Int(index)]
        guard position < segments.count else { return node.endpoint >= 0 ? node.endpoint : node.rest }
        let segment = segments[position]
        if node.hasLiterals, segment.key.count <= literals.longestKey {
            let found = literals.find(scope: index, hash: segment.hash, key: segment.key)
            if found.exact >= 0 {
                let endpoint = descend(found.exact, segments, position + 1, &visits)
                if endpoint >= 0 { return endpoint }
            }
            if found.folded >= 0 {
                let endpoint = descend(found.folded, segments, position + 1, &visits)
                if endpoint >= 0 { return endpoint }
            }
        }
        if node.capture >= 0, segment.key.count > 0 {
            let endpoint = descend(node.capture, segments, position + 1, &visits)
            if endpoint >= 0 { return endpoint }
        }
        return node.rest
    }

    // MARK: Building

    /// Adds a root.
    mutating func addRoot() -> Int32 {
        addNode(parent: -1, .root)
    }

    /// Adds a pattern. Returns its existing endpoint, or `endpoint` if it is new.
    mutating func insert(_ pattern: RoutePattern, caseInsensitive: Bool, root: Int32, endpoint: Int32) -> Int32 {
        depth = max(depth, pattern.segments.count)
        var node = root
        for segment in pattern.segments {
            switch segment {
            case .capture: node = captureChild(of: node)
            case .literal(let key): node = literalChild(of: node, key, caseInsensitive: caseInsensitive)
            }
        }
        let field = pattern.rest == .none ? \Node.endpoint : \Node.rest
        if nodes[Int(node)][keyPath: field] < 0 { nodes[Int(node)][keyPath: field] = endpoint }
        return nodes[Int(node)][keyPath: field]
    }

    private mutating func addNode(parent: Int32, _ edge: Edge) -> Int32 {
        nodes.append(Node())
        origins.append((parent, edge))
        return Int32(nodes.count - 1)
    }

    private mutating func captureChild(of node: Int32) -> Int32 {
        if nodes[Int(node)].capture < 0 { nodes[Int(node)].capture = addNode(parent: node, .capture) }
        return nodes[Int(node)].capture
    }

    private mutating func literalChild(of node: Int32, _ literal: [UInt8], caseInsensitive: Bool) -> Int32 {
        // Without letters, the folded literal equals the exact one.
        let isFolded = caseInsensitive && literal.contains(where: PathBytes.isLetter)
        let key = isFolded ? literal.map(PathBytes.lowercased) : literal
        let (hash, found) = key.withUnsafeBytes { bytes in
            let hash = SegmentKey.hash(bytes)
            return (hash, literals.find(scope: node, hash: hash, key: bytes))
        }
        let existing = isFolded ? found.folded : found.exact
        guard existing < 0 else { return existing }
        let child = addNode(parent: node, isFolded ? .folded : .exact)
        literals.insert(scope: node, hash: hash, key: key, isFolded: isFolded, value: child)
        nodes[Int(node)].hasLiterals = true
        return child
    }

    // MARK: Bounds

    /// Returns a bound on the nodes that a match can visit, and an endpoint that reaches it; -1 in an empty trie.
    ///
    /// Each node tries at most one exact child, one folded child and the capture. So the maxima of each kind are
    /// added, from the leaves up.
    func worstCase() -> (visits: Int, endpoint: Int32) {
        var exact = [Cost](repeating: Cost(), count: nodes.count)
        var folded = exact
        var capture = exact
        var worst = Cost()
        for index in nodes.indices.reversed() {
            // Children follow their parents, so the costs of all children are known.
            let cost = cost(of: nodes[index], children: [exact[index], folded[index], capture[index]])
            let parent = Int(origins[index].parent)
            switch origins[index].edge {
            case .root: worst = max(worst, cost)
            case .exact: exact[parent] = max(exact[parent], cost)
            case .folded: folded[parent] = max(folded[parent], cost)
            case .capture: capture[parent] = cost
            }
        }
        return (worst.visits, worst.endpoint)
    }

    /// The maximum cost of a match from a node, and an endpoint on that way.
    private struct Cost: Comparable {
        var visits = 0
        var endpoint: Int32 = -1

        static func < (one: Cost, other: Cost) -> Bool { one.visits < other.visits }
    }

    private func cost(of node: Node, children: [Cost]) -> Cost {
        let visits = children.reduce(1) { $0 + $1.visits }
        let deepest = children.max()?.endpoint ?? -1
        let own = node.endpoint >= 0 ? node.endpoint : node.rest
        return Cost(visits: min(visits, 1 << 40), endpoint: deepest >= 0 ? deepest : own)
    }
}
