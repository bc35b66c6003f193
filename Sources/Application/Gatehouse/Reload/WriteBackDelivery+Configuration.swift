import Authorization
import GatewayConfiguration
import Revocation

extension WriteBackDelivery {
    /// Queues the changes of Firebase's users if the configuration writes them back.
    func adopt(_ configuration: Configuration) {
        let prefixes = configuration.identity.providers.map { Array("\($0.id):".utf8) }
        adopt(limit: configuration.revocation.writeBack?.queue) { user in
            // A provider's user without an account has the uid PROVIDER:SUBJECT.
            user.tenant != nil || !prefixes.contains { user.uid.utf8.starts(with: $0) }
        }
    }
}
