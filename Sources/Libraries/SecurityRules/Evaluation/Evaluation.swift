/// What an evaluator knows and has spent of one request, and the memory that it keeps for the next.
///
/// A structure, so that access to it is exclusive once a decision and not once a field.
struct Evaluation {
    /// A parameter or `let` of a function that runs.
    struct Local {
        var value: RuleValue
        /// The capture that it is, so that it need not be made a string to be compared; -1: none.
        var capture: Int32 = -1
    }

    var bindings: (any RuleBindings)?
    var signIn = SignInQuestion()
    var time = RuleValue.null
    var operation: RuleOperation?
    var recorder: RuleRecorder?

    /// What the request may still cost.
    var expressionsLeft = RuleLimits.expressions
    var work = WorkBudget()

    /// The values of bindings, made on first use; `loaded` has a bit for each.
    var values: [RuleValue]
    var loaded: UInt8 = 0

    var path = PathSegments()
    /// The values of the captures of the block that is asked, made on first use, with a bit for each of the first 64.
    var captureValues: [RuleValue] = []
    var capturesLoaded: UInt64 = 0
    /// Where they begin among the program's.
    var captures = 0

    /// The locals of all functions that run; those of the innermost begin at `frame`.
    var locals: [Local] = []
    var frame = 0
    var callDepth = 0
    /// Operands that wait for those after them.
    var stack: [RuleValue] = []

    init() {
        values = Array(repeating: .null, count: ProgramBinding.allCases.count)
        locals.reserveCapacity(RuleLimits.parameters + RuleLimits.lets)
    }

    /// Begins a request.
    mutating func begin(_ request: RuleRequest, _ bindings: any RuleBindings, _ recorder: RuleRecorder?) {
        if self.bindings != nil { end() }
        self.bindings = bindings
        self.recorder = recorder
        operation = request.operation
        time = .timestamp(request.time)
        signIn.begin(request.signIn, now: request.time.seconds)
        path.split(request.path)
        renewLimits()
        recorder?.beginRequest()
    }

    /// Ends it: no value of it is kept.
    mutating func end() {
        bindings = nil
        recorder = nil
        operation = nil
        if loaded != 0 {
            for index in values.indices { values[index] = .null }
            loaded = 0
        }
        forgetCaptures()
        forgetLocals()
        path.clear()
    }

    mutating func renewLimits() {
        expressionsLeft = RuleLimits.expressions
        work = WorkBudget()
    }

    mutating func forgetCaptures() {
        guard capturesLoaded != 0 else { return }
        for index in captureValues.indices { captureValues[index] = .null }
        capturesLoaded = 0
    }

    mutating func forgetLocals() {
        if !locals.isEmpty { locals.removeAll(keepingCapacity: true) }
        (frame, callDepth) = (0, 0)
    }
}

extension Evaluation {
    /// The value of an expression.
    @inline(__always)
    mutating func value(_ node: Int32, _ program: Program) throws(RuleFailure) -> RuleValue {
        try charge(1)
        if recorder != nil { return try recordedValue(node, program) }
        return try evaluate(node, program)
    }

    /// Whether a condition is true. Anything but true and false is a failure.
    @inline(__always)
    mutating func truth(_ node: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        try charge(1)
        if recorder != nil { return try recordedTruth(node, program) }
        return try decide(node, program)
    }

    /// Takes expressions before they are evaluated.
    @inline(__always)
    mutating func charge(_ count: Int) throws(RuleFailure) {
        guard count <= expressionsLeft else {
            expressionsLeft = 0
            throw RuleFailure(.tooManyExpressions)
        }
        expressionsLeft -= count
    }

    @inline(never)
    private mutating func recordedValue(_ node: Int32, _ program: Program) throws(RuleFailure) -> RuleValue {
        do throws(RuleFailure) {
            let value = try evaluate(node, program)
            recorder?.record(node, .value(value))
            return value
        } catch {
            recorder?.record(node, .failure(error.reason.text))
            throw error
        }
    }

    @inline(never)
    private mutating func recordedTruth(_ node: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        try Self.truth(recordedValue(node, program))
    }

    /// A value where only true and false make sense.
    @inline(__always)
    static func truth(_ value: RuleValue) throws(RuleFailure) -> Bool {
        switch value {
        case .bool(let truth): return truth
        case .unreadable: throw RuleFailure(.unreadable)
        default: throw RuleFailure(.notBoolean)
        }
    }
}
