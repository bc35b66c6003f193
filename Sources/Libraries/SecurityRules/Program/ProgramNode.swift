/// One expression of a program: what to do, and what with. Nodes are of one size and refer to others by their places.
struct ProgramNode: Sendable {
    /// What the fields mean. `first`, `second` and `third` are nodes where nothing else is told; `operands` are `count` nodes that begin at
    /// `operands[first]` of the program.
    enum Operation: UInt8, Sendable {
        /// `constants[first]`
        case constant
        /// `detail` is a `ProgramBinding`.
        case binding
        /// A parameter or `let` of the function that runs, by its number.
        case local
        /// A capture, by its number.
        case capture
        /// `auth.a.b`: the `count` names that begin at `operands[second]`; `first` is the node of `auth.a`, or -1.
        case claim
        /// `first.NAME`: `second` is the name.
        case member
        /// `first[second]`
        case index
        /// `first[second:third]`
        case slice
        /// `request.headers[NAME]`: `second` is the name.
        case header
        /// `request.headers.get(NAME, third)`
        case headerOrDefault
        /// Operands.
        case list
        /// Operands: keys and values in turn.
        case map
        /// Operands; those below 0 are the complements of constants.
        case path
        case negate
        case multiply, divide, remainder, add, subtract
        /// `function[second]`, of the operands.
        case call
        /// `detail` is a `Builtin`; of the operands.
        case function
        /// The same of the receiver `second`; `third` is the compiled pattern, or -1.
        case method
        case debug
        case conditional
        /// A name that nothing has: it always fails.
        case unknown

        // True or false from here on.
        case not
        /// Operands.
        case and, or
        case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, contains
        /// `second` is a `KindSet`.
        case typeTest
        case recentSignIn
        case secondFactor
        /// `NAME in request.headers`: `second` is the name.
        case hasHeader
    }

    var operation: Operation
    var detail: UInt8 = 0
    var first: Int32 = -1
    var second: Int32 = -1
    var third: Int32 = -1
    var count: Int32 = 0

    /// Whether its operation has no value but true and false.
    var isPredicate: Bool { operation.rawValue >= Operation.not.rawValue }
}

/// What a request gives programs, without the single header fields.
enum ProgramBinding: UInt8, Sendable, CaseIterable {
    case auth, method, host, query, headers, path, time

    /// The member of `request` of that name.
    init?(member name: String) {
        switch name {
        case "auth": self = .auth
        case "method": self = .method
        case "host": self = .host
        case "query": self = .query
        case "headers": self = .headers
        case "path": self = .path
        case "time": self = .time
        default: return nil
        }
    }
}
