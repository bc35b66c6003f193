import GatewayConfiguration
import GatewayCore
import Testing

@Suite struct SecretTests {
    let secret = Secret("hunter2")

    @Test func isNeverPrinted() {
        var dumped = ""
        dump([secret], to: &dumped)
        var admin = Configuration.Admin()
        admin.token = secret
        for text in ["\(secret)", String(reflecting: secret), "\(admin)", String(reflecting: admin), dumped] {
            #expect(!text.contains("hunter2") && !text.contains("104"))
        }
    }

    @Test func equalsTheSameBytesAlone() {
        #expect(secret.matches("hunter2".utf8))
        for other in ["", "h", "hunter", "hunter3", "hunter22", "Hunter2", "hunter2\0"] {
            #expect(!secret.matches(other.utf8), "\(other)")
        }
        #expect(secret == Secret(Array("hunter2".utf8)) && secret != Secret("hunter3"))
    }

    @Test func anEmptyOneMatchesOnlyNothing() {
        #expect(Secret("").matches([]) && !Secret("").matches([0]))
    }
}
