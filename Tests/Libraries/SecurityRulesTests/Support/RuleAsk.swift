@testable import SecurityRules

/// What rules say of a request, as the tables' words.
enum RuleAnswer: Equatable {
    case isTrue, isFalse, fails
    /// No rule is for the request.
    case none
    case stepUp
    case limit
    /// They do not load; what the messages say.
    case refused(String)
}

/// Asks rules about one request with a value of each kind.
struct RuleAsk {
    /// Whether rules are checked when they are loaded.
    var isChecked = true
    var isSignedIn = true
    var method = "GET"
    var path = "/users/ada/docs"

    /// What a condition says; `user` and `rest` are captures of the path.
    func condition(_ text: String) -> RuleAnswer {
        let source = RuleSource(text, name: "test")
        let captures = [
            RuleCapture(name: "user", segment: 1, isRest: false), RuleCapture(name: "rest", segment: 2, isRest: true),
        ]
        return answer { () throws(RuleProblems) in
            isChecked
                ? try Ruleset(condition: source, captures: captures, label: "test:1")
                : try Ruleset(unchecked: source, captures: captures, label: "test:1")
        }
    }

    /// What a rules file says, or what stands in its `service`.
    func file(_ text: String) -> RuleAnswer {
        let isWhole = text.contains("rules_version") || text.contains("service ") || text.hasPrefix("{")
        let whole = isWhole ? text : "rules_version = '2'; service gatehouse.http { \(text) }"
        return answer { () throws(RuleProblems) in try Ruleset(file: RuleSource(whole, name: "test")) }
    }

    private func answer(_ load: () throws(RuleProblems) -> Ruleset) -> RuleAnswer {
        let ruleset: Ruleset
        do {
            ruleset = try load()
        } catch {
            return .refused(error.description)
        }
        return answer(ruleset)
    }

    private func answer(_ ruleset: Ruleset) -> RuleAnswer {
        var asked = Asked(method, path, auth: isSignedIn ? RuleClaims.auth : .null)
        asked.time = RuleClaims.now
        asked.signIn = RuleSignIn(authTime: isSignedIn ? RuleClaims.signedInAt : nil)
        asked.bindings.query = ["page": "2", "q": "a b", "twice": .unreadable]
        asked.bindings.headers = ["accept": "text/html", "x-tenant": "acme"]
        return Self.answer(asked.verdict(ruleset))
    }

    private static func answer(_ verdict: RuleVerdict) -> RuleAnswer {
        switch verdict {
        case .allowed: .isTrue
        case .denied(let denial):
            switch denial.reason {
            case .noRule: .none
            case .conditionIsFalse: .isFalse
            case .conditionFailed: .fails
            case .limit: .limit
            }
        case .needsRecentSignIn, .needsSecondFactor, .needsSignInRecord, .signInRecordUnavailable: .stepUp
        }
    }
}
