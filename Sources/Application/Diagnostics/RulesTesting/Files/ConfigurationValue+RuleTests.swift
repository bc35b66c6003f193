import Authentication
import CivilCalendar
import GatewayConfiguration
import SecurityRules

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

extension KnownKeys {
    static let ruleTestUser = KnownKeys(
        "users.*", ["uid", "provider", "project", "token", "signed_in", "reauthenticated", "second_factor"])
}

extension ConfigurationValue {
    /// Reads a signed-in user.
    func ruleTestUser(named userName: String?) -> RuleTestUser? {
        guard let mapping = mapping(.ruleTestUser) else { return nil }
        let uid = mapping.required("uid", "give the user one, as in uid: ann")?.string(atMost: 128)
        let claims = mapping.value("token").map { $0.ruleMembers() } ?? []
        var age: Int64? = 3600
        if let value = mapping.value("signed_in") { age = value.signInAge() }
        var reauthenticated: Int64?
        mapping.set(&reauthenticated, "reauthenticated") { $0.secondsAgo() }
        var hasSecondFactor = false
        mapping.set(&hasSecondFactor, "second_factor") { $0.boolean() }
        var provider: String?
        mapping.set(&provider, "provider") { $0.string(atMost: 128).map(Principal.signInProvider(named:)) }
        var project: String?
        mapping.set(&project, "project") { $0.string(atMost: 128) }
        guard let uid, let claims else { return nil }
        checkClaims(claims, mapping)
        let firebase = claims.firebase
        if case .string(let own)? = firebase?["sign_in_provider"] { provider = own }
        return RuleTestUser(
            name: userName, uid: uid, signInProvider: provider ?? "custom", project: project, claims: claims,
            signedIn: age,
            reauthenticated: reauthenticated,
            hasSecondFactor: hasSecondFactor || firebase?.namesSecondFactor == true)
    }

    /// Rejects claims that other keys already define, because they could contradict them.
    private func checkClaims(_ claims: [(key: String, value: RuleValue)], _ mapping: MappingReader) {
        for key in ["sub", "user_id"] where claims.contains(where: { $0.key == key }) {
            mapping.context.fail(
                mapping.location(of: "token"), "\(name).token has \(key)", "write it as uid, and remove it here")
        }
        if mapping.value("signed_in") != nil, claims.contains(where: { $0.key == "auth_time" }) {
            mapping.context.fail(
                mapping.location(of: "signed_in"), "both signed_in and token.auth_time say when the user signed in",
                "keep one of them")
        }
        if mapping.value("provider") != nil, claims.firebase?["sign_in_provider"] != nil {
            mapping.context.fail(
                mapping.location(of: "provider"),
                "both provider and token.firebase.sign_in_provider say how the user signed in", "keep one of them")
        }
    }

    private func signInAge() -> Int64? {
        if case .scalar(let scalar) = content, scalar.text == "unknown" { return nil }
        return secondsAgo()
    }
}

extension [(key: String, value: RuleValue)] {
    /// The `firebase` claim, if it is a mapping.
    fileprivate var firebase: RuleMap? {
        guard case .map(let members)? = first(where: { $0.key == "firebase" })?.value else { return nil }
        return members
    }
}

extension RuleMap {
    /// Whether a `firebase` claim states a second factor, as the gateway interprets it.
    fileprivate var namesSecondFactor: Bool {
        if case .string(let name)? = self["sign_in_second_factor"] { !name.isEmpty } else { false }
    }
}
