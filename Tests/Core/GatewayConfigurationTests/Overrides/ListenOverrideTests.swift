import GatewayConfiguration
import GatewayCore
import Testing

@testable import CoreFixtures

@Suite struct ListenOverrideTests {
    @Test func replacesTheListenersOfTheFile() throws {
        var configuration = try ConfigurationTesting.load(section: "listen: [{ address: 'a:1' }, { address: 'b:2' }]")
        try configuration.overrideListen("127.0.0.1:0")
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:0"])
    }

    @Test func keepsWhatTheFirstListenerSpeaks() throws {
        let tls = "tls: { certificate: a.pem, private_key: a.key }, proxy_protocol: true"
        var configuration = try ConfigurationTesting.load(section: "listen: [{ address: 'a:1', \(tls) }]")
        try configuration.overrideListen("unix:/run/gatehouse")
        #expect(configuration.listen.map(\.description) == ["https://unix:/run/gatehouse"])
        #expect(configuration.listen.map(\.proxyProtocol) == [true])
    }

    @Test(arguments: [
        ("0.0.0.0:8080", "insecure_emulator with a listener that other machines reach"),
        ("127.0.0.1:9901", "the admin listener has the same address"), ("8080", "an address with a bad host"),
        ("unix:run/gatehouse", "a unix: address without an absolute path"),
    ])
    func isCheckedLikeTheFile(_ address: String, _ what: String) throws {
        var configuration = try ConfigurationTesting.load(
            section: "identity: { firebase: { project: a, insecure_emulator: true } }")
        let error = #expect(throws: ConfigurationErrors.self) { try configuration.overrideListen(address) }
        #expect(error?.errors.map(\.what) == [what])
        #expect(error?.errors.map(\.location.description) == ["--listen"])
        #expect(configuration.listen.map(\.address.description) == ["127.0.0.1:8080"])
    }
}
