import GatewayCore

extension Configuration.Accounts {
    /// Reports a resolution of Firebase users that is not possible, and its absence where sign-ins at providers may
    /// split a person into two users.
    func checkFirebaseUsers(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration) {
        guard firebaseUsers != .separate else { return warnOfSeparateUsers(mapping, at: place, others) }
        let setting = "accounts.firebase_users: \(firebaseUsers.rawValue)"
        guard let firebase = others.identity.firebase else {
            return mapping.fail(
                "firebase_users", "\(setting) without a Firebase project",
                "add identity.firebase.project, or remove it")
        }
        if others.revocation.firebase == nil {
            mapping.fail(
                "firebase_users", "\(setting) needs revocation.source: firebase",
                "add source: firebase to revocation, which looks up the users")
        }
        if firebase.hasSeveralProjects || firebase.tenant.isSeveral {
            mapping.fail(
                "firebase_users", "\(setting) with several Firebase projects or tenants",
                "accept one project and at most one tenant, or remove it: an identity does not name either")
        }
    }

    private func warnOfSeparateUsers(_ mapping: MappingReader, at place: SourceLocation, _ others: Configuration) {
        guard !mapping.hasValue("firebase_users"), let firebase = others.identity.firebase,
            !others.identity.providers.isEmpty, !firebase.hasSeveralProjects, !firebase.tenant.isSeveral
        else { return }
        mapping.context.warn(
            place, "a user with a Firebase account who signs in at a provider gets a second uid",
            "add firebase_users: identity, or firebase_users: separate to keep it so")
    }
}
