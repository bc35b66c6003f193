import GatewayConfiguration
import GatewayCore
import JOSE
import Revocation

/// A user that a transmitter may name.
enum SecurityEventSubject: Sendable, Hashable {
    /// A user at the transmitter's provider.
    case identity(IdentityLink)
    /// A user of the Firebase project.
    case user(UserKey)
    /// The account with this address, in lower case.
    case address(String)
}

/// The subject of an event (RFC 9493, OpenID Shared Signals Framework 1.0 section 3).
enum SecurityEventSubjects: Sendable, Equatable {
    /// The users, at least one.
    case users(Set<SecurityEventSubject>)
    /// The subject names no user that the transmitter may name here. The reason is for the log.
    case unresolved(String)
    /// A critical member of a complex subject is unknown, so that the event must be discarded.
    case discarded

    /// The maximum number of identifiers of an `aliases` subject.
    private static let maximumAliases = 16
    /// The members of complex subjects that the gateway understands. It does not know sessions and devices of the
    /// provider, so that an event about one of them concerns the whole user.
    private static let complexMembers = ["user", "device", "session"]
    /// The members that restrict an event to a part of the user's accounts, which the gateway does not know.
    private static let restrictions = ["application", "tenant", "org_unit", "group"]

    /// Returns whether a subject is only a part of the user's accounts. An event must not disable the whole user then.
    static func isRestricted(_ subject: JSONValue) -> Bool { restrictions.contains { subject[$0] != nil } }

    /// Reads the subject of an event of a transmitter.
    init(_ subject: JSONValue, of transmitter: EventTransmitter) throws(SecurityEventFailure) {
        guard subject.kind == .object else { throw .rejected(.request("The subject is not an object.")) }
        switch Self.format(of: subject) {
        case "complex", nil: self = try Self.complex(subject, transmitter)
        case "aliases": self = try Self.aliases(subject, transmitter)
        case .some(let format): self = try Self.simple(subject, format, transmitter)
        }
    }

    /// Returns the format. Earlier drafts, and Google, write `subject_type` with hyphens.
    private static func format(of subject: JSONValue) -> String? {
        (subject["format"]?.string ?? subject["subject_type"]?.string)?.replacing("-", with: "_")
    }

    private static func complex(
        _ subject: JSONValue, _ transmitter: EventTransmitter
    ) throws(SecurityEventFailure) -> Self {
        let unknown = transmitter.settings.criticalMembers.contains { member in
            subject[member] != nil && !complexMembers.contains { $0.utf8.elementsEqual(member.utf8) }
        }
        if unknown { return .discarded }
        guard let user = subject["user"] else { return .unresolved("a complex subject without a user") }
        guard user.kind == .object, let format = format(of: user), format != "complex" else {
            throw .rejected(.request("The user of the complex subject has no format."))
        }
        return format == "aliases" ? try aliases(user, transmitter) : try simple(user, format, transmitter)
    }

    private static func aliases(
        _ subject: JSONValue, _ transmitter: EventTransmitter
    ) throws(SecurityEventFailure) -> Self {
        let identifiers = subject["identifiers"].map { Array($0.elements) } ?? []
        guard (1...maximumAliases).contains(identifiers.count) else {
            throw .rejected(.request("identifiers is not a list of 1 to \(maximumAliases) subjects."))
        }
        var users: Set<SecurityEventSubject> = []
        for identifier in identifiers {
            guard identifier.kind == .object, let format = format(of: identifier), format != "aliases" else {
                throw .rejected(.request("An element of identifiers has no format, or is a list of aliases."))
            }
            if case .users(let more) = try simple(identifier, format, transmitter) { users.formUnion(more) }
        }
        return users.isEmpty ? .unresolved("aliases of no known user") : .users(users)
    }

    private static func simple(
        _ subject: JSONValue, _ format: String, _ transmitter: EventTransmitter
    ) throws(SecurityEventFailure) -> Self {
        switch format {
        case "iss_sub", "id_token_claims":
            guard let issuer = subject["iss"]?.string, let name = subject["sub"]?.string, !name.isEmpty else {
                throw .rejected(.request("The subject has no iss and sub."))
            }
            return identity(issuer, name, transmitter)
        case "email":
            guard let email = subject["email"]?.string else {
                throw .rejected(.request("The subject has no email."))
            }
            return address(email, transmitter)
        case "account":
            guard let uri = subject["uri"]?.string else { throw .rejected(.request("The subject has no uri.")) }
            guard uri.utf8.starts(with: "acct:".utf8), !uri.utf8.contains(UInt8(ascii: "%")) else {
                return .unresolved("an account that is no address")
            }
            return address(String(uri.dropFirst(5)), transmitter)
        default: return .unresolved("a subject of a format that names no user here")
        }
    }

    private static func identity(_ issuer: String, _ name: String, _ transmitter: EventTransmitter) -> Self {
        guard transmitter.isAuthoritative(for: issuer) else { return .unresolved("a subject of another issuer") }
        switch transmitter.settings.subjects {
        case .firebase:
            let user = UserKey(uid: name, tenant: nil)
            let isReserved = transmitter.reservedPrefixes.contains { name.utf8.starts(with: $0.utf8) }
            guard !isReserved, (try? StoreBounds.check(user: user)) != nil else { return .unresolved("no valid uid") }
            return .users([.user(user)])
        case .provider(let id):
            let link = IdentityLink(provider: id, subject: name)
            guard (try? StoreBounds.check(link)) != nil, (try? StoreBounds.check(user: UserKey(link))) != nil else {
                return .unresolved("no valid sub")
            }
            return .users([.identity(link)])
        }
    }

    private static func address(_ text: String, _ transmitter: EventTransmitter) -> Self {
        guard let address = EmailAddress.normalized(text) else { return .unresolved("no valid address") }
        guard transmitter.isAuthoritative(forAddress: address) else {
            return .unresolved("an address outside email_domains")
        }
        return .users([.address(address)])
    }
}
