import GatewayConfiguration
import Revocation

extension Configuration.Identity {
    /// Returns the reason, with a remedy, if no accepted credential can have this user key. Otherwise returns `nil`.
    ///
    /// A uid alone is checked only with several projects: it may then be a user of a provider or an account of the
    /// gateway, but not a Firebase user.
    func flaw(of user: UserKey) -> String? {
        guard let firebase, firebase.hasSeveralProjects else { return flawOfOnlyProject(user) }
        let projects = firebase.projects.map(\.id).joined(separator: ", ")
        guard let id = user.project else {
            let isOfOtherIssuer = user.isCreatedHere || providers.contains { user.uid.hasPrefix("\($0.id):") }
            return user.tenant == nil && isOfOtherIssuer
                ? nil : "identity.firebase has several projects; name the project of the user, one of \(projects)"
        }
        guard let project = firebase.project(named: id) else {
            return "the project is not in identity.firebase.projects; name one of \(projects)"
        }
        guard let tenant = user.tenant, !project.tenant.accepts(tenant) else { return nil }
        return "the project does not accept tokens of this tenant; check the tenant"
    }

    private func flawOfOnlyProject(_ user: UserKey) -> String? {
        guard user.project == nil else {
            return "identity.firebase does not have several projects, so users have none; omit the project"
        }
        guard let tenant = user.tenant else { return nil }
        guard let policy = firebase?.tenant, policy.isSeveral else {
            return "identity.firebase.tenant is not \"*\" or a list, so users have no tenant; omit the tenant"
        }
        return policy.accepts(tenant) ? nil : "identity.firebase.tenant does not have this tenant; check the tenant"
    }
}
