import GatewayConfiguration
import JOSE

extension SigningKeyFiles {
    /// Nil where the session key is in no file.
    init?(_ accounts: Configuration.Accounts?) {
        guard let accounts, let file = accounts.sessionKey else { return nil }
        self.init(current: file, previous: accounts.previousSessionKeys, location: accounts.location)
    }
}
