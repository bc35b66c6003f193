import Authorization
import Forwarding
import GatewayConfiguration
package import GatewayCore
import JOSE
import Routing
package import SecurityRules

/// A reader of a configuration's rules. It reports errors at their location in the rules file or in the configuration.
struct RuleReader {
    /// How results are counted. `nil` counts none.
    let counting: RuleCounting?
    private(set) var warnings: [ConfigurationWarning] = []
    private(set) var errors: [ConfigurationError] = []
    /// The SHA-256 of the rules file. Empty without one.
    private(set) var fileDigest: [UInt8] = []

    init(counting: RuleCounting? = nil) {
        self.counting = counting
    }

    /// Reads the rules file. `nil` if it is not configured, unreadable or invalid.
    mutating func read(_ file: Configuration.RulesFile?) -> Ruleset? {
        guard let file, let bytes = bytes(of: file) else { return nil }
        fileDigest = SHA256Hasher()?.hash(bytes)?.bytes ?? []
        do throws(RuleProblems) {
            let rules = try Ruleset(file: RuleSource(bytes, name: file.path))
            warnings += rules.warnings.map { warning in
                ConfigurationWarning(
                    location: SourceLocation(warning.location), what: warning.what, remedy: warning.remedy)
            }
            return counted(rules)
        } catch {
            fail(error, at: file.location) { problem in
                (SourceLocation(problem.location), problem.what)
            }
            return nil
        }
    }

    /// Returns the rules of a route, following the file's rules. `nil` if it has none. Warnings were already reported
    /// with the configuration.
    mutating func read(_ route: Configuration.Route, _ pattern: RoutePattern, after file: RouteRules?) -> RouteRules? {
        guard let condition = route.allow else { return route.auth == .none ? nil : file }
        guard route.auth != .none else {
            errors.append(
                ConfigurationError(
                    location: condition.location, what: "allow can never apply on a route with auth: none",
                    remedy: "remove it, or remove auth: none"))
            return nil
        }
        return read(condition, of: pattern).map { RouteRules((file?.rulesets ?? []) + [$0]) }
    }

    private mutating func read(_ condition: Configuration.RulesExpression, of pattern: RoutePattern) -> Ruleset? {
        do throws(RuleProblems) {
            return counted(try Ruleset(condition, captures: pattern.ruleCaptures))
        } catch {
            fail(error, at: condition.location) {
                (condition.location, "routes[].allow at character \($0.location.column): \($0.what)")
            }
            return nil
        }
    }

    private func counted(_ rules: Ruleset) -> Ruleset { counting?.counted(rules) ?? rules }

    /// Returns the source of an additional identity field.
    mutating func read(_ header: Configuration.ExtraHeader) -> IdentityRenderer.Extra? {
        switch header.source {
        case .claim(let path):
            let source: IdentityRenderer.Extra.Source =
                switch path.root {
                case .uid: .uid
                case .provider: .provider
                case .token: .claim(path.names)
                }
            return IdentityRenderer.Extra(name: header.name, source: source)
        case .expression(let expression):
            do throws(RuleProblems) {
                let source = IdentityRenderer.Extra.Source.expression(try RuleValueExpression(expression))
                return IdentityRenderer.Extra(name: header.name, source: source)
            } catch {
                fail(error, at: expression.location) {
                    (expression.location, "headers.extra at character \($0.location.column): \($0.what)")
                }
                return nil
            }
        }
    }

    /// Warns of rules that no route uses.
    mutating func warnOfUnused(_ file: Configuration.RulesFile?, _ routes: [Configuration.Route]) {
        guard let file, routes.allSatisfy({ $0.auth == .none }) else { return }
        warnings.append(
            ConfigurationWarning(
                location: file.location, what: "no route requires a credential, so that the rules have no effect",
                remedy: "remove auth: none from routes that need them, or remove the rules"))
    }

    private mutating func bytes(of file: Configuration.RulesFile) -> [UInt8]? {
        do throws(BoundedFile.Failure) {
            return try BoundedFile.read(file.path, atMost: RuleSource.maximumSize)
        } catch {
            let (why, remedy) =
                switch error {
                case .unreadable(let reason):
                    ("cannot be read (\(reason))", "paths are relative to the folder of the configuration file")
                case .tooLarge: ("is larger than 256 KiB", "make it smaller")
                }
            let what = "the rules file \(Quoted(file.path)): \(why)"
            errors.append(ConfigurationError(location: file.location, what: what, remedy: remedy))
            return nil
        }
    }

    /// Records at least one error, because otherwise the routes would be served without their rules.
    private mutating func fail(
        _ problems: RuleProblems, at location: SourceLocation,
        _ place: (RuleProblem) -> (location: SourceLocation, what: String)
    ) {
        errors += problems.problems.map { problem in
            let (location, what) = place(problem)
            return ConfigurationError(location: location, what: what, remedy: problem.remedy)
        }
        guard problems.problems.isEmpty else { return }
        errors.append(
            ConfigurationError(location: location, what: "the rules are invalid", remedy: "correct or remove them"))
    }
}

extension SourceLocation {
    /// Creates a location in a rules file.
    package init(_ location: RuleLocation) {
        self.init(file: location.source, line: location.line, column: location.column)
    }
}
