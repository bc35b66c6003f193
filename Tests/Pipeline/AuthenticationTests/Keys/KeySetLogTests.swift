import Testing

@testable import Authentication
@testable import CoreFixtures
@testable import GatewayFixtures

@Suite struct KeySetLogTests {
    @Test func aFailureIsAWarningWhileTheLastGoodSetCountsAndAnErrorWithoutOne() {
        let warning = KeySetLogLine(.fetchFailed(.down, inARow: 1, retryIn: .seconds(2), usableFor: .seconds(60)))
        let error = KeySetLogLine(.fetchFailed(.down, inARow: 1, retryIn: .seconds(2), usableFor: nil))
        #expect("\(warning.level)" == "warning" && "\(error.level)" == "error")
        #expect("\(warning.metadata)".contains("unreachable") && "\(warning.metadata)".contains("60s"))
    }

    @Test func aRefreshWithoutNewsIsForDebugging() {
        #expect("\(KeySetLogLine(.unchanged(lifetime: 1)).level)" == "debug")
        #expect("\(KeySetLogLine(.unknownKey).level)" == "debug")
    }

    @Test func aSourceCannotFloodTheLogWithNames() {
        let names = (0..<500).map { String(repeating: "k", count: 10_000) + "\($0)" }
        let line = KeySetLogLine(.changed(added: names, removed: names))
        #expect("\(line.metadata)".utf8.count < 4096)
    }

    @Test func noKeyMaterialIsLogged() throws {
        let (first, second) = (try TestKey("first"), try TestKey("second"))
        var harness = try MachineHarness(loaded: [first])
        harness.send(.refreshAsked)
        let outcome = harness.send(.fetched(try FetchedKeySet([second], junk: [#"{"kty":"oct","k":"SECRET"}"#])))
        let lines = outcome.events.map { "\(KeySetLogLine($0))" }.joined()
        #expect(lines.contains("first") && lines.contains("second"))
        #expect(!lines.contains("SECRET"))
        for value in second.jwk.split(separator: "\"") where value.count > 20 { #expect(!lines.contains(value)) }
    }
}
