import Authentication
import GatewayCore
import JOSE
import Revocation

/// `GET account`: returns the profile and the sign-in methods of the caller. `PATCH account`: changes the display name
/// and the picture.
///
/// Both set a new cookie if the claims of the calling session differ from the profile. The session keeps its name.
struct ProfileCall {
    private static let foreign = "Another system has this profile. Change it there."
    private static let badName =
        "Send \"name\" as null, or as 1 to \(StoreBounds.maximumNameLength) characters, one of them visible, without controls."
    private static let badPicture =
        "Send \"picture\" as null, or as an https URL of at most \(StoreBounds.maximumPictureSize) bytes."

    let parts: AccountParts

    func reply(to call: AccountCall) async throws -> AccountReply {
        let caller = try call.accountHolder()
        let change = call.browser.isPatch ? try Self.change(in: call) : nil
        try parts.count(caller.user)
        try await parts.authorizer.require(caller, isRecent: change != nil)
        if let change {
            guard try await parts.store.setProfile(change, of: caller.user) else {
                throw AccountDenial(.operationNotAllowed, detail: Self.foreign)
            }
            parts.auditLog(call).recordProfile(of: caller.user)
        }
        let account = try await parts.account(caller.user)
        return .json(Self.responseBody(account, caller), cookie: try cookie(for: caller, account))
    }

    private static func change(in call: AccountCall) throws(AccountDenial) -> ProfileChange {
        let body = try CallBody(of: call, taking: ["name", "picture"])
        let change = ProfileChange(
            name: try value(body.value("name"), DisplayName.chosen, badName),
            picture: try value(body.value("picture"), PictureURL.checked, badPicture))
        guard !change.isEmpty else { throw .malformed("Send \"name\", \"picture\" or both.") }
        return change
    }

    /// Returns the change of one member. `parse` returns `nil` for an invalid text.
    private static func value(
        _ member: JSONValue?, _ parse: (String) -> String?, _ expected: String
    ) throws(AccountDenial) -> ProfileChange.Value {
        guard let member else { return .kept }
        guard member.kind != .null else { return .removed }
        guard let text = member.string.flatMap(parse) else { throw .malformed(expected) }
        return .set(text)
    }

    /// Returns the cookie of a session whose claims differ from the profile. `nil` for other credentials.
    private func cookie(for caller: Principal, _ account: AccountRecord) throws -> SessionCookie? {
        let profile = SessionProfile(account)
        guard caller.origin != nil, caller.session != nil, !profile.isStated(in: caller.claims.root) else { return nil }
        return try SessionIssuer(keys: try parts.keys, terms: SessionTerms(parts.settings))
            .updated(caller, profile, now: parts.clock.now())
    }

    /// Returns the profile. Parts that the gateway does not store are those of the credential.
    private static func responseBody(_ account: AccountRecord, _ caller: Principal) -> [UInt8] {
        let claims = caller.claims.root
        let isOurs = account.created != nil
        let stated = isOurs ? nil : ProvenEmail(claims)
        return ObjectText.object { body in
            body.add("uid", account.uid)
            body.add("project", account.user.project)
            body.add("tenant", account.user.tenant)
            body.add("created_at", orNull: account.created)
            body.add("email", orNull: account.email ?? stated?.address)
            body.add("email_verified", account.email == nil ? stated?.isVerified ?? false : account.emailVerified)
            body.add("name", orNull: text("name", account.name, account.chosen.contains(.name), claims))
            body.add("picture", orNull: text("picture", account.picture, account.chosen.contains(.picture), claims))
            body.add("providers", providers(of: account, caller))
            body.add("managed_by", isOurs ? "gateway" : "firebase")
        }
    }

    private static func text(_ claim: String, _ stored: String?, _ isChosen: Bool, _ claims: JSONValue) -> String? {
        isChosen ? stored : stored ?? claims[claim]?.string
    }

    /// Returns the IDs of the providers by which the user can sign in. Firebase lists those of its users in their
    /// credentials.
    private static func providers(of account: AccountRecord, _ caller: Principal) -> [String] {
        let stated = account.created == nil ? caller.identityKinds : []
        return Set(account.links.keys).union(stated).sorted()
    }
}

/// The URL of a picture that a user chose.
enum PictureURL {
    /// Returns an https URL of visible ASCII without characters that have a meaning in HTML. `nil` for another text.
    static func checked(_ text: String) -> String? {
        guard text.utf8.count <= StoreBounds.maximumPictureSize, let url = try? HTTPURL(parsing: text), url.isSecure,
            text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && !"\"'<>\\^`{|}".utf8.contains($0) })
        else { return nil }
        return text
    }
}
