import CivilCalendar
import GatewayConfiguration
import GatewayCore
import JOSE
import OutboundHTTP
import Revocation

/// An event for the application, in the form of Standard Webhooks 1.0.0.
struct WebhookEvent {
    /// The ID, by which the receiver recognizes a repeated delivery.
    let id: String
    /// The content, which is the same in each delivery.
    let body: [UInt8]

    /// Creates the event of a message. `nil` for another message.
    ///
    /// - Parameter content: The parsed body of the message.
    init?(_ message: OutboxMessage, _ content: JSONValue) {
        guard let type = content["type"]?.string, let uid = content["uid"]?.string,
            let time = content["time"]?.integer.flatMap({ UnixTime($0) }),
            Self.members.contains(where: { content[$0] != nil })
        else { return nil }
        id = message.id
        body = ObjectText.object { event in
            event.add("type", type)
            event.add("timestamp", RFC3339.text(time))
            event.add(
                "data",
                json: ObjectText.object { data in
                    data.add("uid", uid)
                    data.add("project", content["project"]?.string)
                    data.add("tenant", content["tenant"]?.string)
                    for name in Self.members {
                        if let value = content[name] { data.add(name, value) }
                    }
                })
        }
    }

    /// The members of the data of all types. `merged_into` and `identities` belong to removals and merges. The others
    /// belong to changes of addresses.
    private static let members = [
        "merged_into", "identities", "previous_email", "email", "token", "url", "expires_at",
    ]

    /// Returns whether the event contains a link, which is valid for a limited time.
    static func hasLink(_ content: JSONValue) -> Bool { content["expires_at"] != nil }

    /// Returns whether the event is of no use any more: the link in it has expired.
    static func hasExpired(_ content: JSONValue, now: Int64) -> Bool {
        content["expires_at"]?.integer.map { $0 <= now } ?? false
    }

    /// Returns the request with a signature by each secret. `nil` if libcrypto fails.
    func request(to webhook: Configuration.Webhook, at now: UnixTime) -> OutboundRequest? {
        let signed = Array("\(id).\(now).".utf8) + body
        let codes = webhook.secrets.compactMap { secret in
            secret.withBytes { HMACSHA256.authenticate(signed, secret: $0) }
        }
        guard codes.count == webhook.secrets.count else { return nil }
        let signatures = codes.map { "v1,\(BasicCredentials.base64($0))" }.joined(separator: " ")
        return OutboundRequest(
            method: .post, url: webhook.url,
            fields: [
                ("content-type", "application/json"), ("webhook-id", id), ("webhook-timestamp", "\(now)"),
                ("webhook-signature", signatures),
            ],
            body: body)
    }

    /// Returns the result of a response. With the status 410, the receiver declines the event.
    static func result(of result: Result<OutboundResponse, LookupFailure>, now: Int64) -> OutboxResult {
        switch result {
        case .failure(let failure): return OutboxResult(failure)
        case .success(let response):
            switch response.status {
            case 200..<300: return .delivered
            case 410: return .rejected(.rejected, "status 410", status: 410)
            default:
                return OutboxResult(
                    LookupFailure(response, ownCredentials: [401], now: now), status: response.status)
            }
        }
    }
}
