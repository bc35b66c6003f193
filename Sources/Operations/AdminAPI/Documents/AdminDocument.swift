import Revocation

/// The JSON documents of the admin API.
enum AdminDocument {
    static func readiness(_ checks: [ReadinessCheck]) -> AdminResponse {
        let isReady = checks.allSatisfy(\.isOK)
        let body = AdminJSON.object { body in
            body.member("ready", isReady)
            body.member("checks", checks) { check, output in
                output.member("name", check.name)
                output.member("ok", check.isOK)
                if let why = check.why { output.member("why", why) }
                if let note = check.note { output.member("note", note) }
            }
        }
        return .json(body, status: isReady ? 200 : 503)
    }

    static func user(_ user: UserKey, _ record: UserRecord) -> AdminResponse {
        .json(
            AdminJSON.object { body in
                body.member(user)
                body.member("valid_since", record.validSince)
                body.member("disabled", record.disabled)
            })
    }

    static func session(_ user: UserKey, _ session: String, _ record: SessionRecord) -> AdminResponse {
        .json(
            AdminJSON.object { body in
                body.member(user)
                body.member("session", session)
                body.member("revoked", record.revoked)
                body.member("signed_in_at", record.signedInAt)
                if record.isAuthenticated { body.member("authenticated_at", record.signedInAt) }
            })
    }

    static func keys(_ sets: [AdministeredKeySet]) -> AdminResponse {
        .json(
            AdminJSON.object { body in
                body.member("key_sets", sets) { set, output in
                    output.member("url", set.url)
                    output.member("fetched_at", set.fetchedAt)
                    output.member("refresh_at", set.refreshAt)
                    output.member("keys", set.keyIDs)
                    output.member("skipped", set.skipped)
                    output.member("last_error", set.lastError)
                }
            })
    }

    /// What the store has lost, which is given up now.
    static func accepted(_ loss: StoreLoss) -> AdminResponse {
        .json(
            AdminJSON.object { body in
                body.member("users", Int64(loss.users))
                body.member("sessions", Int64(loss.sessions))
                body.member("went_back", loss.wentBack)
            }, status: 202)
    }

    static func reloaded(generation: UInt64) -> AdminResponse {
        .json(AdminJSON.object { $0.member("generation", Int64(clamping: generation)) })
    }
}

extension AdminJSON {
    /// `uid`, and `tenant` where it is a part of the user's name.
    fileprivate mutating func member(_ user: UserKey) {
        member("uid", user.uid)
        if let tenant = user.tenant { member("tenant", tenant) }
    }
}
