import GatewayCore
import Revocation

/// The JSON documents of the admin API.
enum AdminDocument {
    static func readiness(_ checks: [ReadinessCheck]) -> AdminResponse {
        let isReady = checks.allSatisfy(\.isOK)
        let body = ObjectText.object { body in
            body.add("ready", isReady)
            body.add("checks", checks) { check, output in
                output.add("name", check.name)
                output.add("ok", check.isOK)
                output.add("why", check.why)
                output.add("note", check.note)
            }
        }
        return .json(body, status: isReady ? 200 : 503)
    }

    static func user(_ user: UserKey, _ record: UserRecord) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add(user)
                body.add("valid_since", orNull: record.validSince)
                body.add("disabled", record.disabled)
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

    static func keys(_ sets: [AdministeredKeySet]) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("key_sets", sets) { set, output in
                    output.add("url", set.url)
                    output.add("fetched_at", orNull: set.fetchedAt)
                    output.add("refresh_at", orNull: set.refreshAt)
                    output.add("keys", set.keyIDs)
                    output.add("skipped", set.skipped)
                    output.add("last_error", orNull: set.lastError)
                }
            })
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
    /// Adds `uid`, and `tenant` if it is part of the user key.
    fileprivate mutating func add(_ user: UserKey) {
        add("uid", user.uid)
        add("tenant", user.tenant)
    }
}
