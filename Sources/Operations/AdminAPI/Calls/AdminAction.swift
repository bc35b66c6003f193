package import OperatorConsole
package import Revocation

/// The client of a call that needs a credential.
package struct AdminCaller: Sendable, Equatable {
    /// Its permission. `nil` for a sign-in that failed.
    package var role: OperatorRole?
    /// The address of its connection. It is the proxy's if there is one before the listener.
    package var address: String
    /// Whether it uses the console, in place of a token.
    package var isConsole = false
    /// The name of its session of the console. `nil` without one.
    package var session: String?
    /// The name that the operator stated. It is not verified.
    package var name: String?
    /// The address with which it signed in at a provider, verified. `nil` if it did not.
    package var email: String?
}

/// A change through the admin listener, or a view of personal data of decisions or accounts, for the audit log.
package struct AdminAction: Sendable, Equatable {
    /// The change: a word such as `revoke` or `reload`.
    package var event: String
    /// The user that it concerns. `nil` for other changes.
    package var user: UserKey?
    /// The session that was ended. `nil` for other changes.
    package var session: String?
    /// The provider that was unlinked, or at which an operator signed in. `nil` for other changes.
    package var provider: String?
    /// The account that another one was merged into. `nil` for other changes.
    package var target: UserKey?
    /// The parameters of an unmasked stream of decisions, or of a search or a list of accounts. `nil` for other
    /// actions.
    package var filter: String?
    /// The number of accounts in the response to a search or a list. `nil` for other actions, and without success.
    package var count: Int?
    package var caller: AdminCaller
    /// The status of the response.
    package var status: Int
}

extension AdminCall {
    /// The change that the call makes, or the view of personal data. `nil` for other calls and for malformed queries,
    /// of which the audit log has no line.
    func action(by caller: AdminCaller, status: Int) -> AdminAction? {
        func action(
            _ event: String, _ user: UserKey? = nil, session: String? = nil, provider: String? = nil,
            target: UserKey? = nil, filter: String? = nil
        ) -> AdminAction {
            AdminAction(
                event: event, user: user, session: session, provider: provider, target: target, filter: filter,
                caller: caller, status: status)
        }
        return switch self {
        case .live, .ready, .metrics, .user, .activity, .sessions, .session, .status, .keys, .routes, .configuration,
            .fleet, .history, .outbox, .rules, .reloadDifferences:
            nil
        case .findAccount(let query):
            (try? AccountSelection(query)).map { action($0.event, filter: $0.maskedText) }
        case .account(let user): action("show_account", user)
        case .decisions(let query):
            // A query with errors opens no stream.
            (try? DecisionFilter(query)).flatMap { filter in
                filter.isMasked ? nil : action("unmask_decisions", filter: filter.text)
            }
        case .change(let change, let user): action("\(change)", user)
        case .revokeSession(let user, let session): action("revoke_session", user, session: session)
        case .deleteAccount(let user): action("delete", user)
        case .unlink(let user, let provider): action("unlink", user, provider: provider)
        case .merge(let user, let target): action("merge_accounts", user, target: target)
        case .refreshKeys: action("refresh_keys")
        case .reload: action("reload")
        case .evaluateRules: action("evaluate_rules")
        case .acceptStore: action("accept_store")
        case .retryOutbox: action("retry_outbox")
        case .discardOutbox: action("discard_outbox")
        }
    }

    /// Returns whether a client may make the call.
    func permits(_ caller: AdminCaller?) -> Bool {
        guard !isPublic else { return true }
        guard let caller, let role = caller.role else { return false }
        return role == .operator || isViewOfAccounts || action(by: caller, status: 0) == nil
    }

    /// Whether the call reads accounts, which viewers may do too.
    private var isViewOfAccounts: Bool {
        switch self {
        case .findAccount, .account: true
        default: false
        }
    }
}
