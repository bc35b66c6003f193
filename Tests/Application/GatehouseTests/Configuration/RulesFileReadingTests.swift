import Authorization
import Forwarding
import Foundation
import GatewayConfiguration
import GatewayCore
import RequestPipeline
import SecurityRules
import Testing

@testable import CoreFixtures
@testable import Gatehouse
@testable import SystemFixtures

/// The rules file, and the rules of its snapshot.
@Suite struct RulesFileReadingTests {
    private static let valid = """
        rules_version = '2';
        service gatehouse.http {
          match /{rest=**} {
            allow read: if request.auth != null;
            allow write: if request.auth.uid == 'ada';
          }
        }
        """

    /// The snapshot of a configuration with a rules file, or its errors. `nil` if the file does not exist.
    private func snapshot(
        _ text: [UInt8]?, _ adjust: (inout Configuration) -> Void = { _ in }
    ) throws -> (Snapshot?, errors: [ConfigurationError], file: String) {
        let folder = try ScratchFolder()
        let file = folder.path("api.rules")
        if let text { try Data(text).write(to: URL(filePath: file)) }
        var configuration = try ConfigurationTesting.load(BrokenConfiguration.beforeRoute + "    path: /v1/{uid}\n")
        configuration.rules = Configuration.RulesFile(
            path: file, location: SourceLocation(file: "gatehouse.yaml", line: 2, column: 8))
        adjust(&configuration)
        do throws(ConfigurationErrors) {
            return (try Snapshot(configuration), [], file)
        } catch {
            return (nil, error.errors, file)
        }
    }

    @Test func `rules apply to every route with authentication`() throws {
        let (snapshot, errors, _) = try snapshot(Array(Self.valid.utf8)) { configuration in
            var open = Configuration.Route(path: "/open", upstream: "api", location: SourceLocation(origin: "test"))
            open.auth = .none
            var own = Configuration.Route(path: "/own", upstream: "api", location: SourceLocation(origin: "test"))
            own.auth = .optional
            own.allow = Configuration.RulesExpression("auth == null", location: SourceLocation(origin: "test"))
            configuration.routes += [open, own]
        }
        #expect(errors.isEmpty && snapshot?.rules?.rules.count == 2 && snapshot?.warnings.isEmpty == true)
        #expect(snapshot?.pipeline.plans.map { $0.policy.rules?.rulesets.count ?? 0 } == [1, 0, 2])
        #expect(snapshot?.pipeline.plans[2].policy.rules?.rulesets.last?.rules[0].label == "test")
        #expect(snapshot?.outgoing.identity.keepsVariableForRules == true)
    }

    @Test func `a condition on a route without authentication is rejected`() throws {
        let (snapshot, errors, _) = try snapshot(Array(Self.valid.utf8)) {
            $0.routes[0].auth = .none
            $0.routes[0].allow = .init("auth.uid == uid", location: SourceLocation(origin: "test"))
        }
        #expect(snapshot == nil && errors.map(\.what) == ["allow can never apply on a route with auth: none"])
    }

    @Test func `a missing file is reported at its location`() throws {
        let (_, errors, file) = try snapshot(nil)
        #expect(
            errors.map(\.description) == [
                "gatehouse.yaml:2:8: the rules file '\(Quoted(file).unquoted)': cannot be read (No such file or"
                    + " directory); paths are relative to the folder of the configuration file"
            ])
    }

    @Test func `a file that is too large is rejected`() throws {
        let (_, errors, _) = try snapshot([UInt8](repeating: 0x20, count: 262_145))
        #expect(errors.count == 1 && errors[0].what.hasSuffix("is larger than 256 KiB"))
    }

    @Test func `errors in the file are reported at their locations`() throws {
        let text = Self.valid.replacing("request.auth != null", with: "request.auth != nul")
            .replacing("'ada'", with: "nobody")
        let (_, errors, file) = try snapshot(Array(text.utf8))
        #expect(errors.map { "\($0.location)" } == ["\(file):4:36", "\(file):5:41"], "\(errors)")
    }

    @Test(arguments: ["", "hello", "service gatehouse.http {}", "\u{0}\u{1}"])
    func `a file that is not a rules file is rejected`(_ text: String) throws {
        let (snapshot, errors, file) = try snapshot(Array(text.utf8))
        #expect(snapshot == nil && !errors.isEmpty)
        #expect(errors.allSatisfy { $0.location.file == file })
    }

    @Test func `questionable rules have a warning`() throws {
        let text = Self.valid.replacing("match /{rest", with: "function f() { return 1; } match /{rest")
        let (snapshot, _, file) = try snapshot(Array(text.utf8))
        #expect(snapshot?.warnings.map { "\($0.location.file):\($0.location.line)" } == ["\(file):3"])
    }

    @Test func `rules that no route evaluates have a warning`() throws {
        let (snapshot, _, _) = try snapshot(Array(Self.valid.utf8)) { $0.routes[0].auth = .none }
        #expect(
            snapshot?.warnings.map(\.description) == [
                "gatehouse.yaml:2:8: warning: no route requires a credential, so that the rules have no effect;"
                    + " remove auth: none from routes that need them, or remove the rules"
            ])
        #expect(snapshot?.pipeline.plans[0].policy.rules == nil)
    }

    @Test func `a condition that cannot be read keeps the gateway from starting`() throws {
        let place = SourceLocation(file: "gatehouse.yaml", line: 7, column: 12)
        let (snapshot, errors, _) = try snapshot(Array(Self.valid.utf8)) {
            $0.routes[0].allow = Configuration.RulesExpression("auth.uid == nobody", location: place)
            $0.headers.extra = [.init(name: "X-A", source: .expression(.init("nobody", location: place)))]
        }
        #expect(snapshot == nil && errors.map(\.location) == [place, place])
    }

    @Test func `only rules that may depend on a record require the store`() throws {
        let asks = { (condition: String) in
            try self.snapshot(Array(Self.valid.utf8)) {
                $0.routes[0].allow = .init(condition, location: SourceLocation(origin: "test"))
            }.0?.queriesStore
        }
        #expect(try asks("auth.uid == uid") == false)
        #expect(try asks("recentSignIn(duration.value(5, 'm'))") == true)
    }
}
