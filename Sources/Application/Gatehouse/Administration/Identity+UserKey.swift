import GatewayConfiguration
import Revocation

extension Configuration.Identity {
    /// Returns the key of the user of an operator's call. The keys of the first project's users do not include it.
    func key(of user: UserKey) -> UserKey {
        guard let first = firebase?.project, user.project?.utf8.elementsEqual(first.utf8) == true else { return user }
        return UserKey(uid: user.uid, tenant: user.tenant)
    }

    /// Returns the reason, with a remedy, if no accepted credential can have a key. Otherwise returns `nil`.
    func flaw(of user: UserKey) -> String? {
        if let id = user.project {
            let projects = firebase?.projects ?? []
            guard let project = firebase?.project(named: id) else {
                return "the project is not in identity.firebase; name one of "
                    + projects.map(\.id).joined(separator: ", ")
            }
            guard let tenant = user.tenant, !project.tenant.accepts(tenant) else { return nil }
            return "the project does not accept tokens of this tenant; check the tenant"
        }
        guard let tenant = user.tenant else { return nil }
        guard let policy = firebase?.tenant, policy.isSeveral else {
            return "identity.firebase.tenant is not \"*\" or a list, so users have no tenant; omit the tenant"
        }
        return policy.accepts(tenant) ? nil : "identity.firebase.tenant does not have this tenant; check the tenant"
    }
}
