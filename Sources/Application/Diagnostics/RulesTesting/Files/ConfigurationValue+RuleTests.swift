import CivilCalendar
import GatewayConfiguration

extension KnownKeys {
    static let stepUp = KnownKeys("tests[].expect", ["step_up"])
}

extension ConfigurationValue {
    /// Reads an RFC 3339 time, in seconds since 1970.
    func moment() -> Int64? {
        guard let text = string(atMost: 64) else { return nil }
        guard let seconds = RFC3339.seconds(text) else {
            return fail("\(name) is \(shown), not a time", "write it as in 2026-01-01T12:00:00Z")
        }
        return seconds
    }

    /// Reads an age in seconds, at most a hundred years.
    func secondsAgo() -> Int64? {
        duration(in: .zero ... .seconds(3_155_760_000))?.components.seconds
    }

    /// Reads the expected result.
    func ruleExpectation() -> RuleTestExpectation? {
        if case .mapping = content { return stepUpExpectation() }
        switch choice(of: ["allow", "deny", "step-up", "second-factor"]) {
        case "allow": return .allow
        case "deny": return .deny
        case "step-up": return .stepUp(maxAge: nil)
        case "second-factor": return .secondFactor
        default: return nil
        }
    }

    private func stepUpExpectation() -> RuleTestExpectation? {
        guard let mapping = mapping(.stepUp),
            let maxAge = mapping.required("step_up", "write the max_age, as in { step_up: 5m }")?.secondsAgo()
        else { return nil }
        return .stepUp(maxAge: maxAge)
    }
}
