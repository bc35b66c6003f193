/// The state of one request's evaluation, with memory that is reused for the next.
///
/// It is a structure, so that exclusive access is checked once for each decision instead of for each field.
struct Evaluation {
    /// A parameter or `let` of an active function.
    struct Local {
        var value: RuleValue
        /// The capture that the local equals, which is compared without creating a string; -1 for none.
        var capture: Int32 = -1
    }

    var bindings: (any RuleBindings)?
    var signIn = SignInRequirements()
    var time = RuleValue.null
    var operation: RuleOperation?
    var recorder: RuleRecorder?
    /// The counters of the current ruleset. `nil` unless its results are counted.
    var counters: RuleCounters.Lane?
    /// Whether results are recorded or counted, in one field, because each expression checks it.
    var isObserved = false

    /// The remaining budget of the request.
    var expressionsLeft = RuleLimits.expressions
    var work = WorkBudget()

    /// The values of bindings, created on first use. `loaded` has a bit for each.
    var values: [RuleValue]
    var loaded: UInt8 = 0

    var path = PathSegments()
    /// The values of the current block's captures, created on first use, with a bit for each of the first 64.
    var captureValues: [RuleValue] = []
    var capturesLoaded: UInt64 = 0
    /// The index of the block's first capture in the program.
    var captures = 0

    /// The locals of all active functions. The innermost frame begins at `frame`.
    var locals: [Local] = []
    var frame = 0
    var callDepth = 0
    /// Operands of incomplete operations.
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

    /// Ends a request and drops its values.
    mutating func end() {
        bindings = nil
        recorder = nil
        stopCounting()
        operation = nil
        if loaded != 0 {
            for index in values.indices { values[index] = .null }
            loaded = 0
        }
        forgetCaptures()
        forgetLocals()
        path.clear()
    }

    /// Counts the results of a ruleset, and records them if there is a recorder.
    mutating func observe(_ program: Program, lane: Int?) {
        counters = nil
        if let lane, let counters = program.counters { self.counters = counters.lane(lane) }
        isObserved = recorder != nil || counters != nil
    }

    mutating func stopCounting() {
        counters = nil
        isObserved = recorder != nil
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
    /// Returns the value of an expression.
    @inline(__always)
    mutating func value(_ node: Int32, _ program: Program) throws(RuleFailure) -> RuleValue {
        try charge(1)
        if isObserved { return try observedValue(node, program) }
        return try evaluate(node, program)
    }

    /// Returns whether a condition is true. Values other than booleans throw.
    @inline(__always)
    mutating func truth(_ node: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        try charge(1)
        if isObserved { return try observedTruth(node, program) }
        return try decide(node, program)
    }

    /// Charges expressions before they are evaluated.
    @inline(__always)
    mutating func charge(_ count: Int) throws(RuleFailure) {
        guard count <= expressionsLeft else {
            expressionsLeft = 0
            throw RuleFailure(.tooManyExpressions)
        }
        expressionsLeft -= count
    }

    @inline(never)
    private mutating func observedValue(_ node: Int32, _ program: Program) throws(RuleFailure) -> RuleValue {
        do throws(RuleFailure) {
            try recorder?.checkDeadline()
            let value = try evaluate(node, program)
            if case .bool(let truth) = value { counters?.count(node, truth) }
            recorder?.record(node, .value(value))
            return value
        } catch {
            count(error, of: node)
            recorder?.record(node, .failure(error.reason.text))
            throw error
        }
    }

    @inline(never)
    private mutating func observedTruth(_ node: Int32, _ program: Program) throws(RuleFailure) -> Bool {
        if recorder != nil { return try Self.truth(observedValue(node, program)) }
        do throws(RuleFailure) {
            let truth = try decide(node, program)
            counters?.count(node, truth)
            return truth
        } catch {
            count(error, of: node)
            throw error
        }
    }

    /// Counts a failure, unless the request is only evaluated again when the record of the sign-in was read.
    private func count(_ failure: RuleFailure, of node: Int32) {
        if failure.reason != .needsSignInRecord { counters?.countFailure(node) }
    }

    /// Converts a value to a boolean.
    @inline(__always)
    static func truth(_ value: RuleValue) throws(RuleFailure) -> Bool {
        switch value {
        case .bool(let truth): return truth
        case .unreadable: throw RuleFailure(.unreadable)
        default: throw RuleFailure(.notBoolean)
        }
    }
}
