import GatewayCore
import JOSE

/// The body of a revocation: nothing, or `{"at": SECONDS}`, or `{"at": "RFC 3339"}`.
enum RevocationTime {
    /// Nil for "now": no body, or none of `at`.
    static func parse(_ body: [UInt8]) throws(AdministrationError) -> UnixTime? {
        if body.isEmpty { return nil }
        guard let document = try? JSONDocument(body, limits: JSONLimits(size: 1024, depth: 2, members: 4)),
            document.root.kind == .object
        else {
            throw .invalid("The body is no JSON object. Send {\"at\": SECONDS or \"RFC 3339\"}, or no body for now.")
        }
        for (name, _) in document.root.members where name != "at" {
            throw .invalid("The body has a member that is not known; only \"at\" is.")
        }
        guard let value = document.root["at"] else { return nil }
        guard let at = value.integer ?? value.string.flatMap(RFC3339.seconds), let time = UnixTime(at) else {
            throw .invalid("\"at\" is no time. Send whole seconds since 1970, or a text such as 2026-01-31T09:00:00Z.")
        }
        return time
    }
}
