/// What conditions ask of the user's sign-in, and what is assumed of it.
struct SignInQuestion {
    private var known = RuleSignIn()
    private var now: Int64 = 0
    /// How many seconds ago the user is taken to have signed in; nil: as it was.
    var assumedAge: Int64?
    var assumesSecondFactor = false

    /// What was asked for since `forget`: different durations, in seconds.
    private(set) var ages: [Int64] = []
    /// Whether a sign-in was not recent enough, or a second factor not used.
    private(set) var wasNotRecent = false
    private(set) var lackedSecondFactor = false
    /// The recorded sign-in by which one was, where the credential's own was not.
    var usedRecord: Int64?

    init() {
        ages.reserveCapacity(RuleLimits.signInAges)
    }

    /// Begins a request.
    mutating func begin(_ known: RuleSignIn, now: Int64) {
        self.known = known
        self.now = now
        (assumedAge, assumesSecondFactor) = (nil, false)
        forget()
    }

    mutating func forget() {
        if !ages.isEmpty { ages.removeAll(keepingCapacity: true) }
        (wasNotRecent, lackedSecondFactor, usedRecord) = (false, false, nil)
    }

    /// Whether a user who is signed in did so at most that many seconds ago.
    mutating func isRecent(within age: Int64) throws(RuleFailure) -> Bool {
        guard age >= 0 else { return false }
        if let assumedAge {
            record(age)
            return assumedAge <= age
        }
        if isRecent(known.authTime, within: age) { return true }
        switch known.record {
        case .notRead: throw RuleFailure(.needsSignInRecord)
        case .unavailable: throw RuleFailure(.signInRecordUnavailable)
        case .read(let time):
            if isRecent(time, within: age) {
                usedRecord = time
                return true
            }
        }
        record(age)
        wasNotRecent = true
        return false
    }

    /// Whether a user who is signed in used a second factor.
    mutating func hasSecondFactor() -> Bool {
        if known.hasSecondFactor || assumesSecondFactor { return true }
        lackedSecondFactor = true
        return false
    }

    private func isRecent(_ time: Int64?, within age: Int64) -> Bool {
        guard let time else { return false }
        let (elapsed, overflow) = now.subtractingReportingOverflow(time)
        guard !overflow, elapsed <= age else { return false }
        return elapsed >= 0 || elapsed.magnitude <= max(known.clockSkew, 0).magnitude
    }

    private mutating func record(_ age: Int64) {
        if ages.count < RuleLimits.signInAges, !ages.contains(age) { ages.append(age) }
    }
}
