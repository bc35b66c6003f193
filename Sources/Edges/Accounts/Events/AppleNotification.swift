import Authentication
import GatewayCore
import JOSE
import RequestPipeline

/// A notification about a user of Sign in with Apple ("Processing changes for Sign in with Apple accounts").
struct AppleNotification {
    /// The type, for the log.
    let name: String
    /// `nil` if the event has no effect.
    let effect: EventEffect?

    /// The types with an effect. Unknown types have none.
    private static let deletions = ["account-delete", "account-deleted"]
    private static let revocations = ["consent-revoked"]
    /// The maximum length of an unknown type in the log, in characters.
    private static let shownType = 64

    /// Returns the JWS of `{"payload": JWS}`.
    static func payload(of call: AccountCall) throws(AccountDenial) -> String {
        guard call.contentType.utf8.elementsEqual("application/json".utf8) else {
            throw .malformed("Send the notification with Content-Type: application/json.")
        }
        let limits = JSONLimits(size: AccountEndpoint.bodyLimit, depth: 8, members: 64)
        guard let body = try? JSONDocument(call.body, limits: limits), let payload = body.root["payload"]?.string else {
            throw .malformed("Send a JSON object with the notification's JWS as \"payload\".")
        }
        return payload
    }

    init(_ event: VerifiedEvent, now: Int64) throws(AccountDenial) {
        let notification = try Self.notification(event.signed.claims)
        guard let type = notification["type"]?.string else { throw .event("an event without a type") }
        name = String(type.prefix(Self.shownType))
        let isDeletion = Self.deletions.contains { notification["type"]?.equals($0) == true }
        guard isDeletion || Self.revocations.contains(where: { notification["type"]?.equals($0) == true }) else {
            effect = nil
            return
        }
        let time = try Self.time(of: notification) ?? event.signed.issuedAt
        do throws(VerificationFailure) {
            effect = EventEffect(
                try event.signed.subject(in: notification), at: time, now: now, isDeletion ? .deletion : .revocation)
        } catch {
            throw AccountDenial(event: error)
        }
    }

    /// Returns `events`: an object, or the JSON text of one as Apple sends it.
    private static func notification(_ claims: JSONValue) throws(AccountDenial) -> JSONValue {
        guard let events = claims["events"] else { throw .event("no events") }
        if events.kind == .object { return events }
        guard let text = events.string, let document = try? JSONDocument(Array(text.utf8)),
            document.root.kind == .object
        else { throw .event("events is neither an object nor the JSON text of an object") }
        return document.root
    }

    /// Returns `event_time` in seconds. Apple sends milliseconds. Its older examples contain seconds, which read as
    /// milliseconds would be long past and revoke nothing.
    private static func time(of notification: JSONValue) throws(AccountDenial) -> UnixTime? {
        guard let claim = notification["event_time"] else { return nil }
        guard let time = claim.integer, time >= 0 else { throw .event("event_time is not a time") }
        return UnixTime(time) ?? UnixTime(clamping: time / 1000)
    }
}
