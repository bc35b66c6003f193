import Authentication
import GatewayCore
import JOSE
import Revocation

/// `GET account/export`: returns the stored data of the caller's account.
///
/// Unlinked identities are omitted: after a takeover they belong to other users. The size is bounded, since an account
/// has at most `StoreBounds.maximumLinks` links and `StoreBounds.maximumListedSessions` sessions.
struct ExportCall {
    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        try parts.count(caller.user)
        try await parts.authorizer.require(caller, isRecent: true)
        let account = try await parts.account(caller.user)
        let user = try await parts.store.user(caller.user)
        let identities = try await identities(of: account)
        let session = try await session(of: caller)
        let current = try SessionCatalog.currentID(of: caller)
        let sessions = try await SessionCatalog(parts: parts).sessions(of: caller.user)
        return .json(
            ObjectText.object { body in
                body.add("uid", account.uid)
                body.add("project", account.user.project)
                body.add("tenant", account.user.tenant)
                body.add("created_at", orNull: account.created)
                body.add("email", orNull: account.email)
                body.add("email_verified", account.emailVerified)
                body.add("email_from", orNull: account.emailFrom)
                body.add("name", orNull: account.name)
                body.add("picture", orNull: account.picture)
                body.add(user)
                body.add("identities", identities) { identity, output in
                    output.add(identity.link)
                    output.add(identity.record)
                }
                body.add("session", orNull: session) { session, output in
                    output.add("signed_in_at", orNull: session.latest)
                    output.add("authenticated", session.isAuthenticated)
                }
                body.add("sessions", sessions) { session, output in
                    output.add(session, isCurrent: session.id == current)
                }
            })
    }

    private func identities(of account: AccountRecord) async throws -> [(link: IdentityLink, record: UserRecord)] {
        var identities: [(link: IdentityLink, record: UserRecord)] = []
        for (provider, subject) in account.links.sorted(by: { $0.key < $1.key }) {
            let link = IdentityLink(provider: provider, subject: subject)
            // A longer name is not a valid user, so it has no record.
            var record = UserRecord()
            if (try? StoreBounds.check(user: UserKey(link))) != nil {
                record = try await parts.store.user(UserKey(link))
            }
            identities.append((link, record))
        }
        return identities
    }

    /// Returns the latest sign-in of the calling session, which its cookie or its record states.
    private func session(of caller: Principal) async throws -> SignInTimes? {
        guard let session = caller.session else { return nil }
        return SignInTimes(caller, try await parts.store.session(caller.user, session), nil)
    }
}

extension ObjectText {
    fileprivate mutating func add(_ link: IdentityLink) {
        add("provider", link.provider)
        add("subject", link.subject)
    }

    fileprivate mutating func add(_ record: UserRecord) {
        add("valid_since", orNull: record.validSince)
        add("disabled", record.disabled)
    }
}
