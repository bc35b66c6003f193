import Authorization
import GatewayConfiguration
import Revocation

extension WriteBackDelivery {
    /// Queues the changes of Firebase's users if the configuration writes them back.
    func adopt(_ configuration: Configuration) {
        let identity = configuration.identity
        let settings = configuration.revocation.writeBack
        adopt(
            limit: settings?.queue, destinations: Set(settings?.destinations ?? []),
            projects: identity.firebase?.projects.map(\.id) ?? []
        ) { identity.writeBackTarget(of: $0) }
    }
}

extension Configuration.WriteBack {
    /// The services to which changes are written.
    var destinations: [WriteBackDestination] {
        (writesAccounts ? [.identityToolkit] : []) + (databaseURL == nil ? [] : [.realtimeDatabase])
    }
}

extension Configuration.Identity {
    /// Returns the project and tenant of a user. `nil` for a user who is not Firebase's.
    func writeBackTarget(of user: UserKey) -> WriteBackTarget? {
        guard let firebase else { return nil }
        if let id = user.project {
            return firebase.project(named: id).map { WriteBackTarget(project: $0.id, tenant: user.tenant) }
        }
        // A provider's user without an account has the uid PROVIDER:SUBJECT.
        let isProviders = user.tenant == nil && providers.contains { user.uid.utf8.starts(with: "\($0.id):".utf8) }
        guard !isProviders else { return nil }
        return WriteBackTarget(project: firebase.project, tenant: user.tenant ?? firebase.tenant.id)
    }
}
