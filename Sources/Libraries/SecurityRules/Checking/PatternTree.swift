/// The patterns of a file as a tree, which finds equal patterns regardless of nesting and of the names of captures.
struct PatternTree {
    private enum Step: Hashable {
        case literal([UInt8])
        case capture
        case rest
    }

    private struct Edge: Hashable {
        var from: Int
        var step: Step
    }

    /// The unconditional permissions of a pattern.
    struct Node {
        var unconditional: RuleOperationSet = []
        /// The last statement with an unconditional permission.
        var range: SourceRange?
    }

    private var edges: [Edge: Int] = [:]
    private(set) var nodes = [Node()]

    /// Returns the node of a pattern, relative to another node; 0 is the empty pattern.
    mutating func node(_ segments: [PatternSegment], from start: Int) -> Int {
        segments.reduce(start) { node, segment in
            let edge = Edge(from: node, step: Self.step(segment.kind))
            if let next = edges[edge] { return next }
            nodes.append(Node())
            edges[edge] = nodes.count - 1
            return nodes.count - 1
        }
    }

    private static func step(_ kind: PatternSegment.Kind) -> Step {
        switch kind {
        case .literal(let bytes): .literal(bytes)
        case .capture: .capture
        case .rest: .rest
        }
    }

    mutating func allow(_ operations: RuleOperationSet, on node: Int, at range: SourceRange) {
        nodes[node].unconditional.formUnion(operations)
        nodes[node].range = range
    }
}
