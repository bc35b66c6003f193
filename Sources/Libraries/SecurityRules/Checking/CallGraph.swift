/// Which functions call which: finds recursion, how deep calls nest, and an order in which every function comes after those
/// that it calls.
///
/// Walks with a stack of its own: a chain of thousands of functions must not become one of Swift's.
struct CallGraph {
    /// A function that ends up calling itself.
    struct Cycle {
        /// The functions of the cycle in the order of their calls, the first `maximumNames` of them.
        var functions: [Int]
        var isShortened: Bool
    }

    /// More functions of a cycle are not told.
    static let maximumNames = 8

    /// Callees first.
    private(set) var order: [Int] = []
    private(set) var cycles: [Cycle] = []
    /// How many calls nest in a call of each function, itself included.
    private(set) var depths: [Int]

    private enum State {
        case new
        case open(position: Int)
        case done
    }

    private var states: [State]
    private var stack: [(function: Int, next: Int)] = []

    /// - Parameter calls: what each function calls, each callee once.
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

    /// What is called from some functions on, directly or not, themselves included.
    static func reachable(from roots: some Sequence<Int>, _ calls: [[Int]]) -> Set<Int> {
        var found = Set(roots)
        var open = Array(found)
        while let function = open.popLast() {
            for callee in calls[function] where found.insert(callee).inserted { open.append(callee) }
        }
        return found
    }
}
