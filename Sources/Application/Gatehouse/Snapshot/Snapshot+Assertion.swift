import Forwarding
import GatewayConfiguration
import JOSE

extension SigningKeyFiles {
    /// Nil where no assertion is configured.
    init?(_ assertion: Configuration.Assertion?) {
        guard let assertion else { return nil }
        self.init(current: assertion.key, previous: assertion.previousKeys, location: assertion.location)
    }
}

extension AssertionSigner {
    /// Nil where no assertion is configured.
    init?(_ keys: AssertionKeys?, _ headers: Configuration.IdentityHeaders, upstreams: [String], sign: Sign?) {
        guard let keys, let assertion = headers.assertion else { return nil }
        self.init(
            key: keys.current, field: headers.assertionName, issuer: assertion.issuer, audiences: upstreams,
            lifetime: assertion.lifetime.components.seconds, sign: sign)
    }
}
