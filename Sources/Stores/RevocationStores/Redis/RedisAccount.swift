import GatewayCore
import Redis
import Revocation

/// The hash of an account, parsed strictly.
struct RedisAccount {
    /// The listed links. The key of each link decides which user it belongs to.
    var listed: [String: String] = [:]
    /// The identities whose removal was begun.
    private(set) var ending: [IdentityLink] = []
    /// The addresses that the account does not have, although their keys may still name it.
    private(set) var releasing: [String] = []
    /// Those that the account had, and that sessions of its user may state.
    private(set) var lost: [String] = []
    private var email: String?
    private var emailFrom: String?
    private var unlinked: UnlinkedIdentities = []
    private var evidence: [IdentityLink: FirebaseEvidence] = [:]
    private var name: String?
    private var picture: String?
    private var chosen: ProfileParts = []
    private var verified = StoredField<Bool>.valid(false)
    private var created = StoredField<UnixTime?>.valid(nil)
    private var deleted = StoredField<UnixTime?>.valid(nil)
    private var isFaulty = false

    /// Whether the gateway created the account.
    var isMade: Bool { created != .valid(nil) }
    /// When the account was deleted. `nil` if it was not. An invalid time counts as 0.
    var deletionTime: UnixTime? { deleted.value ?? 0 }

    /// Parses a hash.
    ///
    /// - Parameter reply: The reply to `HGETALL`.
    init(_ reply: RedisValue?) throws(StoreError) {
        guard case .array(let fields) = reply, fields.count.isMultiple(of: 2) else { throw .unexpectedReply() }
        for index in stride(from: 0, to: fields.count, by: 2) {
            guard case .string(let field) = fields[index] else { throw .unexpectedReply() }
            read(String(decoding: field, as: UTF8.self), fields[index + 1])
        }
    }

    /// Unknown fields are ignored.
    private mutating func read(_ field: String, _ value: RedisValue) {
        switch field {
        case "email": email = text(value)
        case "email_from": emailFrom = text(value)
        case "unlinked_more": unlinked.hasMore = true
        case "name": name = text(value)
        case "picture": picture = text(value)
        case "chosen_name": chosen.insert(.name)
        case "chosen_picture": chosen.insert(.picture)
        case "chosen_email": chosen.insert(.email)
        case "email_verified": verified = StoredField(flag: value)
        case "created": created = StoredField(time: value)
        case "deleted": deleted = StoredField(time: value)
        default:
            if let provider = Self.name(field, after: "link:") {
                listed[provider] = text(value)
            } else if let provider = Self.name(field, after: "unlinking:") {
                if let subject = value.text { ending.append(IdentityLink(provider: provider, subject: subject)) }
            } else if let email = Self.name(field, after: "releasing:") {
                releasing.append(email)
                if value.text == RedisScript.lost { lost.append(email) }
            } else if let link = Self.name(field, after: "unlinked:").flatMap(IdentityLink.init(name:)) {
                unlinked.links.insert(link)
            } else if let link = Self.name(field, after: "firebase:").flatMap(IdentityLink.init(name:)) {
                evidence[link] = text(value).flatMap(FirebaseEvidence.init(text:))
                if evidence[link] == nil { isFaulty = true }
            }
        }
    }

    private static func name(_ field: String, after prefix: String) -> String? {
        guard field.utf8.starts(with: prefix.utf8) else { return nil }
        return String(decoding: field.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    }

    private mutating func text(_ value: RedisValue) -> String? {
        if let text = value.text { return text }
        isFaulty = true
        return nil
    }

    /// Returns the account with the given links. An invalid field throws `.faultyRecord`.
    func record(_ uid: UserKey, links: [String: String]) throws(StoreError) -> AccountRecord {
        guard let verified = verified.value, let created = created.value, !isFaulty,
            listed.count <= StoreBounds.maximumLinks
        else { throw Self.faulty() }
        var record = AccountRecord(
            user: uid, email: email, emailVerified: verified, emailFrom: emailFrom, name: name, picture: picture,
            chosen: chosen, created: created, links: links, unlinked: unlinked)
        for (provider, subject) in links {
            record.evidence[provider] = evidence[IdentityLink(provider: provider, subject: subject)]
        }
        return record
    }

    /// Returns the fields of a new account, without its link.
    static func fields(_ account: AccountRecord) -> [String] {
        var fields = ["created", "\(account.created ?? 0)", "email_verified", account.emailVerified ? "1" : "0"]
        if let email = account.email { fields += ["email", email] }
        if account.email != nil, let provider = account.emailFrom { fields += ["email_from", provider] }
        if let name = account.name { fields += ["name", name] }
        return fields
    }

    static func faulty() -> StoreError {
        .faultyRecord(repair: "the fields of the account's key are invalid; correct them, or remove the key")
    }

    static func faultyOwner() -> StoreError {
        .faultyRecord(repair: "the key of the link or address does not contain a uid; remove it")
    }
}

extension IdentityLink {
    /// Parses `PROVIDER:SUBJECT`. A provider's id has no colon.
    fileprivate init?(name: String) {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(
            provider: String(name[..<colon]), subject: String(name[name.utf8.index(after: colon)...]))
    }
}

extension AccountRecord {
    /// Whether the record contains data of an account. A record with only unlinked identities does not.
    var saysAnything: Bool { email != nil || name != nil || created != nil || !links.isEmpty }
}
