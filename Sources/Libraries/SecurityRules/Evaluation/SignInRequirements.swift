/// The sign-in requirements of conditions, and the assumptions about the sign-in.
struct SignInRequirements {
    private var known = RuleSignIn()
    private var now: Int64 = 0
    /// The assumed age of the sign-in in seconds. `nil` for the actual one.
    var assumedAge: Int64?
    var assumesSecondFactor = false

    /// The distinct required ages since `forget`, in seconds.
    private(set) var ages: [Int64] = []
    /// Whether a sign-in was not recent enough, or a second factor was missing.
    private(set) var wasNotRecent = false
    private(set) var lackedSecondFactor = false
    /// The recorded sign-in that satisfied a requirement in place of the credential's.
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

    /// Returns whether the user signed in at most `age` seconds ago. There must be a user.
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

    /// Returns whether the user signed in with a second factor. There must be a user.
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
