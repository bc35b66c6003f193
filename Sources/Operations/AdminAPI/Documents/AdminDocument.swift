import GatewayCore
import Observability
import Revocation

/// The JSON documents of the admin API.
enum AdminDocument {
    static func readiness(_ checks: [ReadinessCheck]) -> AdminResponse {
        .json(ObjectText.object { $0.add(checks) }, status: checks.allSatisfy(\.isOK) ? 200 : 503)
    }

    /// Returns the state of the gateway. The status is 200 also if the gateway is not ready.
    static func status(_ status: AdministeredStatus) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("version", status.version)
                body.add("generation", Int64(clamping: status.generation))
                body.add("started_at", status.startedAt)
                body.add(status.checks)
                body.add("store", orNull: status.store) { store, output in
                    output.add("kind", store.kind)
                    output.add("age", orNull: store.age)
                    output.add("writable", store.isWritable)
                    output.add("users", Int64(store.users))
                    output.add("sessions", Int64(store.sessions))
                    output.add("connected", orNull: store.isConnected)
                    output.add("trouble", orNull: store.trouble)
                }
                body.add(status.keySets)
                body.add("servers", status.servers) { server, output in
                    output.add("upstream", server.upstream)
                    output.add("server", server.server)
                    output.add("addresses", Int64(server.addresses))
                    output.add("healthy", Int64(server.healthy))
                    output.add("ejected", Int64(server.ejected))
                    output.add("requests", Int64(server.requests))
                    output.add("health_checks", server.checksPassed != nil)
                }
                body.add("certificates", status.certificates) { certificate, output in
                    output.add("listener", certificate.listener)
                    output.add("subject", certificate.subject)
                    output.add("expires_at", certificate.expiry)
                }
                body.add("connections", status.connections)
                body.add("requests_in_flight", status.requestsInFlight)
                body.add("streams", status.streams)
            })
    }

    static func user(_ user: UserKey, _ record: UserRecord) -> AdminResponse {
        .json(
            ObjectText.object { $0.add(user, record) })
    }

    /// Returns a user after a change, with the targets that have the change or will have it.
    static func changed(_ user: UserKey, _ record: UserRecord) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add(user, record)
                body.add("write_back", orNull: record.writeBack) { outcome, output in
                    output.add("local", true)
                    output.add("identity_toolkit", outcome.rawValue)
                    let database = record.databaseWriteBack
                    if database != .off { output.add("realtime_database", database.rawValue) }
                }
            })
    }

    static func session(_ user: UserKey, _ session: String, _ record: SessionRecord) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add(user)
                body.add("session", session)
                body.add("revoked", record.revoked)
                body.add("signed_in_at", orNull: record.signedInAt)
                if record.isAuthenticated { body.add("authenticated_at", orNull: record.signedInAt) }
            })
    }

    static func sessions(_ user: UserKey, _ sessions: [AdministeredSession]) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add(user)
                body.add("sessions", sessions) { session, output in
                    output.add("id", session.id)
                    output.add("started_at", session.startedAt)
                    output.add("last_used_at", session.lastUsedAt)
                    output.add("ends_at", session.endsAt)
                    output.add("provider", orNull: session.provider)
                    output.add("proof", orNull: session.proof)
                    output.add("user_agent", orNull: session.userAgent)
                }
            })
    }

    static func activity(_ user: UserKey, _ activity: UserActivity) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add(user)
                body.add("since", activity.since)
                body.add("denials", activity.denials) { denial, output in
                    output.add("at", denial.time)
                    output.add("code", "\(denial.code.wire)")
                    output.add("phase", "\(denial.phase.name)")
                    output.add("route", orNull: denial.route)
                    output.add("count", Int64(clamping: denial.count))
                }
                body.add("sign_ins", activity.signIns) { signIn, output in
                    output.add("at", signIn.time)
                    output.add("provider", orNull: signIn.provider)
                    output.add("kind", signIn.kind)
                }
            })
    }

    /// Returns the users that a search found: at most one.
    static func found(_ user: UserKey?) -> AdminResponse {
        let users = [user].compactMap(\.self)
        return .json(
            ObjectText.object { body in
                body.add("users", users) { user, output in output.add(user) }
            }, accounts: users.count)
    }

    /// Returns a part of the list of accounts.
    static func page(_ page: AccountPage) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("users", page.accounts) { account, output in
                    output.add(account.user)
                    output.add("created_at", orNull: account.created)
                    output.add("deleted_at", orNull: account.deleted)
                    output.add("email", orNull: account.email)
                    output.add("name", orNull: account.name)
                    output.add("providers", account.providers)
                    if account.isFaulty { output.add("faulty", true) }
                }
                body.add("next", orNull: page.next)
            }, accounts: page.accounts.count)
    }

    static func account(_ account: AdministeredAccount) -> AdminResponse {
        let record = account.record
        let links = record.links.map { IdentityLink(provider: $0.key, subject: $0.value) }
        return .json(
            ObjectText.object { body in
                body.add(record.user)
                body.add("created_at", orNull: record.created)
                body.add("deleted_at", orNull: account.deleted)
                body.add("merged_into", orNull: account.mergedInto?.uid)
                body.add("email", orNull: record.email)
                body.add("email_verified", record.emailVerified)
                body.add("email_from", orNull: record.emailFrom)
                body.add("name", orNull: record.name)
                body.add("links", links: links)
                body.add("unlinked", links: Array(record.unlinked.links))
                body.add("unlinked_more", record.unlinked.hasMore)
            })
    }

    static func keys(_ sets: [AdministeredKeySet]) -> AdminResponse {
        .json(ObjectText.object { $0.add(sets) })
    }

    /// Returns the loss of the store that was accepted.
    static func accepted(_ loss: StoreLoss) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("users", Int64(loss.users))
                body.add("sessions", Int64(loss.sessions))
                body.add("went_back", loss.wentBack)
            }, status: 202)
    }

    static func reloaded(generation: UInt64) -> AdminResponse {
        .json(ObjectText.object { $0.add("generation", Int64(clamping: generation)) })
    }
}

extension ObjectText {
    /// Adds the record of a user.
    fileprivate mutating func add(_ user: UserKey, _ record: UserRecord) {
        add(user)
        add("valid_since", orNull: record.validSince)
        add("disabled", record.disabled)
    }

    /// Adds `uid`, and `project` and `tenant` if they are part of the user key.
    fileprivate mutating func add(_ user: UserKey) {
        add("uid", user.uid)
        add("project", user.project)
        add("tenant", user.tenant)
    }

    /// Adds identities in the order of their names.
    fileprivate mutating func add(_ name: String, links: [IdentityLink]) {
        add(name, links.sorted { $0.name < $1.name }) { link, output in
            output.add("provider", link.provider)
            output.add("subject", link.subject)
        }
    }

    /// Adds `ready` and `checks`.
    fileprivate mutating func add(_ checks: [ReadinessCheck]) {
        add("ready", checks.allSatisfy(\.isOK))
        add("checks", checks) { check, output in
            output.add("name", check.name)
            output.add("ok", check.isOK)
            output.add("why", check.why)
            output.add("note", check.note)
        }
    }

    /// Adds `key_sets`.
    fileprivate mutating func add(_ sets: [AdministeredKeySet]) {
        add("key_sets", sets) { set, output in
            output.add("url", set.url)
            output.add("fetched_at", orNull: set.fetchedAt)
            output.add("refresh_at", orNull: set.refreshAt)
            output.add("keys", set.keyIDs)
            output.add("thumbprints", set.keys) { key, output in
                output.add("kid", orNull: key.keyID)
                output.add("thumbprint", key.thumbprint)
            }
            output.add("skipped", set.skipped)
            output.add("last_error", orNull: set.lastError)
        }
    }
}
