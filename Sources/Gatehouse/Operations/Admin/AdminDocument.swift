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

    static func user(_ uid: String, _ record: UserRecord) -> AdminResponse {
        .json(
            AdminJSON.object { body in
                body.member("uid", uid)
                body.member("valid_since", record.validSince)
                body.member("disabled", record.disabled)
            })
    }

    static func session(_ uid: String, _ session: String, _ record: SessionRecord) -> AdminResponse {
        .json(
            AdminJSON.object { body in
                body.member("uid", uid)
                body.member("session", session)
                body.member("revoked", record.revoked)
                body.member("signed_in_at", record.signedInAt)
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

    static func reloaded(generation: UInt64) -> AdminResponse {
        .json(AdminJSON.object { $0.member("generation", Int64(clamping: generation)) })
    }
}
