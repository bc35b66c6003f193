import Accounts
import AdminAPI
import GatewayConfiguration
import GatewayCore
import Logging
import Revocation

/// Sessions of users, and accounts.
extension GatewayAdministration {
    private var catalog: SessionCatalog { SessionCatalog(store: store, clock: clock) }

    func sessions(of user: UserKey) async throws(AdministrationError) -> [AdministeredSession] {
        let listed = try await inStore(user) { user throws(StoreError) in try await catalog.sessions(of: user) }
        return listed.map { session in
            let facts = SessionFacts(session.facts)
            return AdministeredSession(
                id: session.id, startedAt: session.began, lastUsedAt: session.lastUsed, endsAt: session.ends,
                provider: facts?.provider, proof: facts?.proof?.rawValue, userAgent: facts?.userAgent)
        }
    }

    func session(_ user: UserKey, _ session: String) async throws(AdministrationError) -> SessionRecord {
        try await inStore(user) { user throws(StoreError) in try await catalog.record(of: session, of: user) }
    }

    func revokeSession(_ user: UserKey, session: String) async throws(AdministrationError) -> SessionRecord {
        let record = try await inStore(user) { user throws(StoreError) in try await catalog.end(session, of: user) }
        guard let record else {
            throw .invalid(
                "The user has no such session: it has ended, or continues under another ID. List the sessions again.")
        }
        return record
    }

    // MARK: - Accounts

    func accounts(after cursor: String?, limit: Int) async throws(AdministrationError) -> AccountPage {
        do throws(StoreError) { return try await store.accounts(after: cursor, limit: limit) } catch {
            throw AdministrationError(error)
        }
    }

    func findUser(_ search: AccountSearch) async throws(AdministrationError) -> UserKey? {
        do throws(StoreError) {
            switch search {
            case .identity(let link): return try await store.owner(of: link)
            case .email(let email): return try await store.uid(ofEmail: email)
            }
        } catch {
            throw AdministrationError(error)
        }
    }

    func account(_ user: UserKey) async throws(AdministrationError) -> AdministeredAccount {
        try await inStore(user) { user throws(StoreError) in try await current(user) }
    }

    func deleteAccount(_ user: UserKey) async throws(AdministrationError) -> AdministeredAccount {
        let (earlier, deletion) = try await inStore(user) { user throws(StoreError) in
            (try await store.deletionTime(of: user), try await store.deleteAccount(user, unlessChangedFrom: nil))
        }
        switch deletion {
        case .deleted(let links, _):
            // A repeated call changes nothing, unless it completes the deletion.
            if earlier == nil || !links.isEmpty { record("delete", of: user) }
        case .absent: throw .invalid("The gateway created no account with this uid. Check the uid.")
        case .changed: throw .unavailable("The user was changed at the same time. Repeat the call.")
        }
        return try await account(user)
    }

    func unlink(_ user: UserKey, provider: String) async throws(AdministrationError) -> AdministeredAccount {
        let release = try await inStore(user) { user throws(StoreError) in
            try await store.release(provider: provider, of: user)
        }
        switch release {
        case .released: record("unlink", of: user, ["provider": "\(provider)"])
        case .absent: break
        case .last: throw .invalid("This is the account's last link. Delete the account instead.")
        }
        return try await account(user)
    }

    func merge(_ source: UserKey, into target: UserKey) async throws(AdministrationError) -> AdministeredAccount {
        let merge = try await inStore(source) { source throws(StoreError) in
            try await store.merge(source, into: target)
        }
        let hint = "Read both with GET /v1/accounts/{uid}."
        switch merge {
        case .merged(let links, _):
            // A repeated call changes nothing.
            if !links.isEmpty { record("merge_accounts", of: source, ["into": "\(target.uid)"]) }
        case .sourceAbsent:
            throw .invalid(
                "The gateway created no account with this uid, or it was deleted or merged into another one. \(hint)")
        case .targetAbsent:
            throw .invalid("The gateway created no account with the target's uid, or it was deleted or merged. \(hint)")
        case .sourceDisabled:
            throw .invalid("The user is disabled. Enable the user first, or delete the account.")
        case .firebase:
            throw .invalid(
                "An identity of these accounts is linked by Firebase, which decides about it. Unlink it first, or link"
                    + " the identities in Firebase.")
        case .providerTaken(let provider):
            throw .invalid("Both accounts have an identity of \(provider). Unlink one of them first.")
        }
        return try await account(target)
    }

    private func current(_ user: UserKey) async throws(StoreError) -> AdministeredAccount {
        let record = try await store.account(user) ?? AccountRecord(user: user)
        guard let deleted = try await store.deletionTime(of: user) else { return AdministeredAccount(record: record) }
        return AdministeredAccount(
            record: record, deleted: deleted, mergedInto: try await store.mergeTarget(of: user))
    }

    /// Writes the audit line of a change by an operator.
    private func record(_ event: String, of user: UserKey, _ more: Logger.Metadata = [:]) {
        var metadata = more
        metadata["event"] = "\(event)"
        metadata["by"] = "operator"
        metadata["uid"] = "\(user.uid)"
        auditLogger.notice("account", metadata: metadata)
    }

    /// Performs an operation on a user. Rejects a project or tenant that no user key can contain, because the change
    /// would have no effect. An account keeps the key that it had before a change of the configuration.
    func inStore<Record>(
        _ user: UserKey, _ body: (UserKey) async throws(StoreError) -> Record
    ) async throws(AdministrationError) -> Record {
        let identity = generations.current.configuration.identity
        let user = identity.key(of: user)
        if let flaw = identity.flaw(of: user) {
            guard try await hasAccount(user) else { throw .invalid(flaw) }
        }
        do throws(StoreError) { return try await body(user) } catch { throw AdministrationError(error) }
    }

    private func hasAccount(_ user: UserKey) async throws(AdministrationError) -> Bool {
        do throws(StoreError) { return try await store.account(user) != nil } catch { throw AdministrationError(error) }
    }
}
