/// An expression of a program: an operation and its operands. Nodes have a fixed size and refer to other nodes by
/// number.
struct ProgramNode: Sendable {
    /// The operations. `first`, `second` and `third` are nodes unless stated otherwise; "operands" are `count` nodes
    /// from `operands[first]` of the program.
    enum Operation: UInt8, Sendable {
        /// `constants[first]`
        case constant
        /// `detail` is a `ProgramBinding`.
        case binding
        /// A parameter or `let` of the active function, by number.
        case local
        /// A capture, by number.
        case capture
        /// `auth.a.b`: `count` names from `operands[second]`. `first` is the node of `auth.a`, or -1.
        case claim
        /// `first.NAME`, where `second` is the name.
        case member
        /// `first[second]`
        case index
        /// `first[second:third]`
        case slice
        /// `request.headers[NAME]`, where `second` is the name.
        case header
        /// `request.headers.get(NAME, third)`
        case headerOrDefault
        /// Operands.
        case list
        /// Operands: alternating keys and values.
        case map
        /// Operands. Negative ones are complements of constants.
        case path
        case negate
        case multiply, divide, remainder, add, subtract
        /// `function[second]` with the operands.
        case call
        /// The `Builtin` in `detail` with the operands.
        case function
        /// The `Builtin` in `detail` on the receiver `second`; `third` is the compiled pattern, or -1.
        case method
        case debug
        case conditional
        /// An unknown name, which always fails.
        case unknown

        // Predicates.
        case not
        /// Operands.
        case and, or
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains
        /// `second` is a `KindSet`.
        case typeTest
        case recentSignIn
        case secondFactor
        /// `NAME in request.headers`, where `second` is the name.
        case hasHeader
    }

    var operation: Operation
    var detail: UInt8 = 0
    var first: Int32 = -1
    var second: Int32 = -1
    var third: Int32 = -1
    var count: Int32 = 0

    /// Whether the value is always a boolean.
    var isPredicate: Bool { operation.rawValue >= Operation.not.rawValue }
}

/// The values of a request for programs, except single header fields.
enum ProgramBinding: UInt8, Sendable, CaseIterable {
    case auth, method, host, query, headers, path, time, app

    /// The member of `request` with that name.
    init?(member name: String) {
        switch name {
        case "auth": self = .auth
        case "method": self = .method
        case "host": self = .host
        case "query": self = .query
        case "headers": self = .headers
        case "path": self = .path
        case "time": self = .time
        case "app": self = .app
        default: return nil
        }
    }
}
