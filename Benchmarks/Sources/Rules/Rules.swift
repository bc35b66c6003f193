@testable import SecurityRules

/// Measures the cost of rules: to parse and compile them, and to decide a request.
@main
struct Rules {
    static func main() throws {
        let fixture = Fixture()
        for text in conditions {
            let source = RuleSource(text, name: "condition")
            fixture.measure(text, try Ruleset(condition: source, captures: fixture.captures, label: "bench:1"))
        }
        let rules = try Ruleset(file: RuleSource(file, name: "file"))
        fixture.measure("a file with functions, isOwner() && isAdmin()", rules)
        fixture.measure("the same file, a step-up", rules, .create)
        fixture.measure("1,001 match blocks", try Ruleset(file: RuleSource(large, name: "large")))
        load()
    }

    private static func parse(_ text: String) {
        var findings = RuleFindings(RuleSource(text, name: "file"))
        use(RulesetParser.parse(&findings))
    }

    private static func load() {
        measureCall("parse the file of \(file.utf8.count) bytes", calls: 8_000) { parse(file) }
        measureCall("parse 1,001 match blocks, \(large.utf8.count) bytes", calls: 1) { parse(large) }
        let usual = conditions[2]
        measureCall("load a usual condition", calls: 20_000) {
            use(try? Ruleset(condition: RuleSource(usual, name: "x"), captures: Fixture().captures, label: "x:1"))
        }
        measureCall("load the file of \(file.utf8.count) bytes", calls: 8_000) {
            use(try? Ruleset(file: RuleSource(file, name: "file")))
        }
        measureCall("load 1,001 match blocks, \(large.utf8.count) bytes", calls: 1) {
            use(try? Ruleset(file: RuleSource(large, name: "large")))
        }
    }

    private static let conditions = [
        "true", "auth.uid == uid",
        "request.auth != null && request.auth.uid == uid && request.auth.token.role == 'admin'",
        "auth.token.firebase.sign_in_provider == 'google.com'", "auth.token.role in ['editor', 'admin']",
        "auth.token.email_verified && auth.token.groups.hasAny(['editors-of-the-whole-site'])",
        "request.headers['x-tenant'] == auth.token.org || 'x-tenant' in request.headers",
        "recentSignIn(duration.value(30, 'm'))", "auth.token.email.matches('.*@example[.]com')",
    ]

    private static let file = """
        rules_version = '2';
        service gatehouse.http {
          function signedIn() { return request.auth != null; }
          function isOwner(uid) { return signedIn() && request.auth.uid == uid; }
          function isAdmin() { return request.auth.token.role == 'admin'; }
          match /v1/users/{user} {
            match /profile { allow read: if true; }
            match /{rest=**} {
              allow read: if isOwner(user) && isAdmin();
              allow write: if isOwner(user) && recentSignIn(duration.value(5, 'm'));
            }
          }
        }
        """

    private static let large: String = {
        let blocks = (0..<1000).map {
            "match /v1/things\($0)/{id} { allow read: if request.auth != null && request.auth.uid == id; }\n"
        }
        let last = "match /v1/users/{user}/{rest=**} { allow read: if request.auth.uid == user; }"
        return "rules_version = '2';\nservice gatehouse.http {\n\(blocks.joined())\(last)\n}"
    }()
}
