import GatewayCore
import JOSE
import Revocation

@testable import RevocationStores

/// Names without a tenant, which most tests use.
extension UserKey: ExpressibleByStringInterpolation {
    init(stringLiteral uid: String) { self.init(uid: uid, tenant: nil) }

    init(_ uid: String) { self.init(uid: uid, tenant: nil) }
}

extension UserKey: CustomStringConvertible {
    var description: String { name }
}

extension IdentityLink {
    static func apple(_ subject: String) -> IdentityLink { IdentityLink(provider: "apple.com", subject: subject) }
    static func google(_ subject: String) -> IdentityLink { IdentityLink(provider: "google.com", subject: subject) }
}

extension AccountRecord {
    init(
        uid: UserKey, email: String? = nil, emailVerified: Bool = false, name: String? = nil, created: UnixTime? = nil,
        links: [String: String] = [:], emailFrom: String? = nil, unlinked: UnlinkedIdentities = []
    ) {
        self.init(
            user: uid, email: email, emailVerified: emailVerified, emailFrom: emailFrom, name: name, created: created,
            links: links, unlinked: unlinked)
    }
}

extension Store {
    @discardableResult
    func revoke(_ uid: String, at time: Int64) async throws(StoreError) -> UserRecord {
        try await revoke(UserKey(uid), at: time)
    }

    @discardableResult
    func unrevoke(_ uid: String) async throws(StoreError) -> UserRecord { try await unrevoke(UserKey(uid)) }

    @discardableResult
    func setDisabled(_ uid: String, _ disabled: Bool) async throws(StoreError) -> UserRecord {
        try await setDisabled(UserKey(uid), disabled)
    }

    @discardableResult
    func revokeSession(_ uid: String, _ session: String, expires: Int64?) async throws(StoreError) -> SessionRecord {
        try await revokeSession(UserKey(uid), session, expires: expires)
    }

    @discardableResult
    func recordSignIn(
        _ uid: String, _ session: String, at time: Int64, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await recordSignIn(UserKey(uid), session, at: time, expires: expires)
    }

    func user(_ uid: String) async throws(StoreError) -> UserRecord { try await user(UserKey(uid)) }

    func session(_ uid: String, _ session: String) async throws(StoreError) -> SessionRecord {
        try await self.session(UserKey(uid), session)
    }
}

extension AccountStore {
    func account(_ uid: String) async throws(StoreError) -> AccountRecord? { try await account(UserKey(uid)) }

    /// Links an identity like the user of the account.
    func claim(_ link: IdentityLink, for uid: UserKey) async throws(StoreError) -> LinkClaim {
        try await claim(link, for: uid, unlessUnlinked: false)
    }

    func claim(_ link: IdentityLink, for uid: String) async throws(StoreError) -> LinkClaim {
        try await claim(link, for: UserKey(uid))
    }

    func release(provider: String, of uid: String) async throws(StoreError) -> LinkRelease {
        try await release(provider: provider, of: UserKey(uid))
    }

    @discardableResult
    func releaseAll(of uid: String) async throws(StoreError) -> [IdentityLink] {
        try await releaseAll(of: UserKey(uid))
    }

    func setNameIfAbsent(_ name: String, of uid: String) async throws(StoreError) {
        try await setNameIfAbsent(name, of: UserKey(uid))
    }

    func setEmail(
        _ email: String, verified: Bool, from link: IdentityLink = .apple("1"), of uid: String, claimsEmail: Bool
    ) async throws(StoreError) -> Bool {
        try await setEmail(email, verified: verified, from: link, of: UserKey(uid), claimsEmail: claimsEmail)
    }
}

extension Store {
    @discardableResult
    func revokeSession(_ uid: String, _ session: String) async throws(StoreError) -> SessionRecord {
        try await revokeSession(UserKey(uid), session)
    }
}

extension StoreKey {
    init?(user uid: String, hasher: SHA256Hasher) { self.init(UserKey(uid), hasher: hasher) }

    init?(user uid: String, session: String, hasher: SHA256Hasher) {
        self.init(UserKey(uid), session: session, hasher: hasher)
    }
}

extension StoreKeyMaker {
    func key(user uid: String) throws(StoreError) -> StoreKey { try key(of: UserKey(uid)) }
}

extension ReplicaKey {
    init(user uid: String) { self.init(UserKey(uid)) }

    init?(user uid: String, session: String) { self.init(UserKey(uid), session: Array(session.utf8)) }
}

extension Store {
    @discardableResult
    func revoke(_ uid: String, at time: Int64, _ scope: RevocationScope) async throws(StoreError) -> UserRecord {
        try await revoke(UserKey(uid), at: time, scope)
    }

    func beginSession(_ uid: String, at time: Int64) async throws(StoreError) -> SessionStart {
        try await beginSession(UserKey(uid), at: time)
    }

    @discardableResult
    func recordSignIn(
        _ uid: String, _ session: String, at time: Int64, isAuthenticated: Bool, expires: Int64?
    ) async throws(StoreError) -> SessionRecord {
        try await recordSignIn(UserKey(uid), session, at: time, isAuthenticated: isAuthenticated, expires: expires)
    }
}
