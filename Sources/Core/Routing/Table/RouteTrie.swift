/// The patterns of all hosts as one flat trie: an array of nodes, and one hash table of the literal edges between them.
///
/// A match walks segment by segment and tries, at each node, the literal, the literal without regard to case, `{name}`, and last
/// `**`; the first complete match is so the most specific pattern by segment order. The cost is the number of nodes visited: the
/// pattern's depth, and what is tried in vain before. `worstCase` bounds it for every possible path.
struct RouteTrie: Sendable {
    /// A node; -1 stands for none in each field.
    struct Node {
        /// The child for `{name}`.
        var capture: Int32 = -1
        /// The endpoint of the pattern that ends here.
        var endpoint: Int32 = -1
        /// The endpoint of the pattern that ends here in `**`.
        var rest: Int32 = -1
        var hasLiterals = false
    }

    private enum Edge { case root, exact, folded, capture }

    private var nodes: [Node] = []
    private var origins: [(parent: Int32, edge: Edge)] = []
    private var literals = KeyTable()

    /// The most segments of a pattern.
    private(set) var depth = 0
    /// The longest literal's key.
    var longestLiteral: Int { literals.longestKey }

    /// The most slots that finding a literal looks at.
    var longestProbe: Int { literals.longestProbe }

    // MARK: Matching

    /// The endpoint of the most specific pattern that matches all segments, -1 for none. Adds the nodes visited to `visits`.
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

    /// A new root.
    mutating func addRoot() -> Int32 {
        addNode(parent: -1, .root)
    }

    /// Adds a pattern. An endpoint that it has already comes back; else it gets `endpoint`.
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
        // Without a letter there is nothing to fold: it is the same literal as the exact one.
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

    /// A bound of the nodes that any path can make a match visit, and an endpoint where it is reached; -1 in an empty trie.
    ///
    /// At each node at most one exact child, one folded one and the capture are tried, so the costliest of each kind are summed,
    /// from the leaves up.
    func worstCase() -> (visits: Int, endpoint: Int32) {
        var exact = [Cost](repeating: Cost(), count: nodes.count)
        var folded = exact
        var capture = exact
        var worst = Cost()
        for index in nodes.indices.reversed() {
            // Children come after their parents, so all of this node's are summed by now.
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

    /// What a match can cost from a node on, and an endpoint down the costliest way.
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
