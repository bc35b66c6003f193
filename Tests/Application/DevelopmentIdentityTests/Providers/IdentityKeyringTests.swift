import JOSE
import Testing

@testable import DevelopmentIdentity

@Suite struct IdentityKeyringTests {
    @Test func theNumberOfProvidersIsBounded() throws {
        let keyring = IdentityKeyring(directory: nil, mostProviders: 1)
        let keys = try keyring.keys(of: .yahoo).map(\.key.keyID)
        #expect(throws: DevelopmentIdentityError.self) { try keyring.keys(of: .apple) }
        #expect(try keyring.keys(of: .yahoo).map(\.key.keyID) == keys)
    }
}
