import GatewayConfiguration
import GatewayCore
import Testing

@Suite struct AdminOverrideTests {
    @Test func theAdminListenerMoves() throws {
        var configuration = Configuration()
        try configuration.overrideAdmin("127.0.0.1:1234")
        #expect(configuration.admin.address == ListenAddress(host: "127.0.0.1", port: 1234))
    }

    @Test func offSwitchesItOff() throws {
        var configuration = Configuration()
        try configuration.overrideAdmin("off")
        #expect(configuration.admin.address == nil)
    }

    @Test(arguments: ["127.0.0.1:8080", "0.0.0.0:8080", "nowhere", "127.0.0.1:99999"])
    func anAddressThatCannotBeIsToldByItsOption(address: String) {
        var configuration = Configuration()
        let before = configuration
        let error = #expect(throws: ConfigurationErrors.self) { try configuration.overrideAdmin(address) }
        #expect(error?.errors.map(\.location.description) == ["--admin"])
        #expect(configuration == before)
    }
}
