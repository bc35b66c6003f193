import GatewayCore
import Redis
import Revocation

/// An account's hash as it is stored, read strictly.
struct RedisAccount {
    /// The links that it lists; whose they are, their own keys say.
    var listed: [String: String] = [:]
    /// The addresses whose keys may still name the account, which does not have them.
    private(set) var releasing: [String] = []
    private var email: String?
    private var emailFrom: String?
    private var unlinked: UnlinkedIdentities = []
    private var name: String?
    private var verified = StoredField<Bool>.valid(false)
    private var created = StoredField<UnixTime?>.valid(nil)
    private var isFaulty = false

    /// - Parameter reply: to `HGETALL`.
    init(_ reply: RedisValue?) throws(StoreError) {
        guard case .array(let fields) = reply, fields.count.isMultiple(of: 2) else { throw .unexpectedReply() }
        for index in stride(from: 0, to: fields.count, by: 2) {
            guard case .string(let field) = fields[index] else { throw .unexpectedReply() }
            read(String(decoding: field, as: UTF8.self), fields[index + 1])
        }
    }

    /// A field that the contract does not know says nothing.
    private mutating func read(_ field: String, _ value: RedisValue) {
        switch field {
        case "email": email = text(value)
        case "email_from": emailFrom = text(value)
        case "unlinked_more": unlinked.hasMore = true
        case "name": name = text(value)
        case "email_verified": verified = StoredField(flag: value)
        case "created": created = StoredField(time: value)
        default:
            if let provider = Self.name(field, after: "link:") {
                listed[provider] = text(value)
            } else if let email = Self.name(field, after: "releasing:") {
                releasing.append(email)
            } else if let link = Self.name(field, after: "unlinked:").flatMap(IdentityLink.init(name:)) {
                unlinked.links.insert(link)
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

    /// The account with these of its links.
    func record(_ uid: UserKey, links: [String: String]) throws(StoreError) -> AccountRecord {
        guard let verified = verified.value, let created = created.value, !isFaulty,
            listed.count <= StoreBounds.maximumLinks
        else { throw Self.faulty() }
        return AccountRecord(
            user: uid, email: email, emailVerified: verified, emailFrom: emailFrom, name: name, created: created,
            links: links, unlinked: unlinked)
    }

    /// The fields of a new account but its link.
    static func fields(_ account: AccountRecord) -> [String] {
        var fields = ["created", "\(account.created ?? 0)", "email_verified", account.emailVerified ? "1" : "0"]
        if let email = account.email { fields += ["email", email] }
        if account.email != nil, let provider = account.emailFrom { fields += ["email_from", provider] }
        if let name = account.name { fields += ["name", name] }
        return fields
    }

    static func faulty() -> StoreError {
        .faultyRecord(repair: "the account's key is not what it should be; mend its fields, or remove it")
    }

    static func faultyOwner() -> StoreError {
        .faultyRecord(repair: "the key of the link or address holds no uid; remove it")
    }
}

extension IdentityLink {
    /// Reads `PROVIDER:SUBJECT`; a provider's id has no colon.
    fileprivate init?(name: String) {
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        self.init(
            provider: String(name[..<colon]), subject: String(name[name.utf8.index(after: colon)...]))
    }
}

extension AccountRecord {
    /// Whether it says anything; one that only remembers ended links does not.
    var saysAnything: Bool { email != nil || name != nil || created != nil || !links.isEmpty }

    /// Whether a uid is spelled as those that are made here.
    static func isMadeHere(_ user: UserKey) -> Bool {
        user.tenant == nil && user.uid.utf8.count == 32
            && user.uid.utf8.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
    }
}
