/// The call graph of functions: it finds recursion, the depth of calls, and an order with callees first.
///
/// The traversal uses an explicit stack, since a chain of thousands of functions could overflow Swift's.
struct CallGraph {
    /// A recursive cycle of calls.
    struct Cycle {
        /// The functions of the cycle in calling order, at most `maximumNames`.
        var functions: [Int]
        var isShortened: Bool
    }

    /// The maximum number of reported functions of a cycle.
    static let maximumNames = 8

    /// The functions with callees first.
    private(set) var order: [Int] = []
    private(set) var cycles: [Cycle] = []
    /// The depth of calls of each function, including itself.
    private(set) var depths: [Int]

    private enum State {
        case new
        case open(position: Int)
        case done
    }

    private var states: [State]
    private var stack: [(function: Int, next: Int)] = []

    /// Analyses the calls.
    ///
    /// - Parameter calls: The callees of each function, each once.
    init(_ calls: [[Int]]) {
        depths = Array(repeating: 1, count: calls.count)
        states = Array(repeating: .new, count: calls.count)
        for function in calls.indices {
            if case .new = states[function] { walk(from: function, calls) }
        }
    }

    private mutating func walk(from start: Int, _ calls: [[Int]]) {
        open(start)
        while let (function, next) = stack.last {
            guard next < calls[function].count else {
                close(function, calls[function])
                continue
            }
            stack[stack.count - 1].next += 1
            let callee = calls[function][next]
            switch states[callee] {
            case .new: open(callee)
            case .open(let position): recordCycle(from: position)
            case .done: break
            }
        }
    }

    private mutating func open(_ function: Int) {
        states[function] = .open(position: stack.count)
        stack.append((function, 0))
    }

    private mutating func close(_ function: Int, _ callees: [Int]) {
        stack.removeLast()
        states[function] = .done
        order.append(function)
        depths[function] = 1 + callees.reduce(0) { max($0, depths[$1]) }
    }

    private mutating func recordCycle(from position: Int) {
        guard cycles.count < RuleProblems.maximumCount else { return }
        let functions = stack[position...].prefix(Self.maximumNames).map(\.function)
        cycles.append(Cycle(functions: functions, isShortened: stack.count - position > functions.count))
    }

    /// Returns the functions that are reachable from `roots`, including these.
    static func reachable(from roots: some Sequence<Int>, _ calls: [[Int]]) -> Set<Int> {
        var found = Set(roots)
        var open = Array(found)
        while let function = open.popLast() {
            for callee in calls[function] where found.insert(callee).inserted { open.append(callee) }
        }
        return found
    }
}
