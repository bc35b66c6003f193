package import GatewayCore

/// The bounds on names and values. The store rejects everything else before it reaches the storage.
package enum StoreBounds {
    /// The maximum length of a uid, in Unicode scalars. It is never stricter than the limit on a token's `sub`.
    package static let maximumUIDLength = 128
    /// The maximum size of a session's name, in bytes of UTF-8.
    package static let maximumSessionSize = 256
    /// The latest time, in seconds since 1970. A greater number is likely a time in milliseconds.
    package static let maximumTime = UnixTime.latest.seconds
    /// The maximum lifetime of a single-use value: 30 days, in seconds.
    package static let maximumLifetime: Int64 = 2_592_000
    /// The maximum size of a nonce's purpose, in bytes.
    package static let maximumPurposeSize = 32
    /// The purpose of a nonce without a restriction.
    package static let anyPurpose = "any"

    package static func check(user: UserKey) throws(StoreError) {
        try check(uid: user.uid)
        if let tenant = user.tenant, !UserKey.isTenant(tenant.utf8) { throw .invalidTenant() }
        if let project = user.project, !UserKey.isProject(project.utf8) { throw .invalidProject() }
    }

    private static func check(uid: String) throws(StoreError) {
        // A scalar has at most 4 bytes, so the constant-time comparison bounds the count.
        let length = uid.utf8.count <= 4 * maximumUIDLength ? uid.unicodeScalars.count : .max
        guard length >= 1, length <= maximumUIDLength, isPrintable(uid) else { throw .invalidUID() }
    }

    package static func check(user: UserKey, session: String) throws(StoreError) {
        try check(user: user)
        try check(session: session)
    }

    package static func check(session: String) throws(StoreError) {
        guard !session.isEmpty, session.utf8.count <= maximumSessionSize, isPrintable(session) else {
            throw .invalidSession()
        }
        // A sign-in time has one spelling; a record under another would never be found.
        guard !(session.utf8.first == 0x30 && session.utf8.count > 1 && session.utf8.allSatisfy { 0x30...0x39 ~= $0 })
        else { throw .paddedSession() }
    }

    /// Returns whether a name has no control characters. Tokens with control characters in `sub` are rejected, and a
    /// NUL would truncate the name.
    static func isPrintable(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    package static func time(_ seconds: Int64) throws(StoreError) -> UnixTime {
        guard let time = UnixTime(seconds) else { throw .invalidTime(seconds) }
        return time
    }

    package static func check(lifetime: Int64) throws(StoreError) {
        guard 1...maximumLifetime ~= lifetime else { throw .invalidLifetime(lifetime) }
    }

    package static func check(purpose: String) throws(StoreError) {
        guard 1...maximumPurposeSize ~= purpose.utf8.count,
            purpose.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "-") })
        else { throw .invalidPurpose() }
    }
}

extension StoreBounds {
    /// The maximum size of a provider's id, in bytes.
    package static let maximumProviderSize = 128
    /// The maximum size of a subject at a provider, in bytes of UTF-8. OpenID Connect Core 1.0 section 2 permits 255
    /// ASCII characters.
    package static let maximumSubjectSize = 255
    /// The maximum size of an e-mail address, in bytes of UTF-8.
    package static let maximumEmailSize = EmailAddress.maximumSize
    /// The maximum length of a display name, in Unicode scalars.
    package static let maximumNameLength = 256
    /// The maximum sizes of the name of an open change of an address, and of its event, in bytes.
    package static let maximumTicketSize = 128
    package static let maximumEventSize = 16_384
    /// The maximum size of a picture's URL, in bytes.
    package static let maximumPictureSize = 1_024
    /// The maximum number of links of an account.
    package static let maximumLinks = 32
    /// The maximum number of unlinked identities that an account remembers.
    package static let maximumUnlinked = 32
    /// The maximum size of a setting's name, in bytes.
    package static let maximumSettingNameSize = 32
    /// The maximum size of a setting's value, in bytes.
    package static let maximumSettingSize = 16_384

    package static func check(_ link: IdentityLink) throws(StoreError) {
        try check(provider: link.provider)
        guard 1...maximumSubjectSize ~= link.subject.utf8.count, isPrintable(link.subject) else {
            throw .invalidAccount("a subject has 1 to \(maximumSubjectSize) bytes, without control characters")
        }
    }

    /// Checks a provider's id. It contains no `:`, so that link names are unambiguous.
    package static func check(provider: String) throws(StoreError) {
        guard 1...maximumProviderSize ~= provider.utf8.count,
            provider.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") })
        else {
            throw .invalidAccount("a provider has 1 to \(maximumProviderSize) visible ASCII characters without :")
        }
    }

    package static func check(email: String) throws(StoreError) {
        guard 1...maximumEmailSize ~= email.utf8.count, isPrintable(email),
            !email.utf8.contains(where: { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 })
        else {
            throw .invalidAccount(
                "an e-mail address has 1 to \(maximumEmailSize) bytes, without ASCII capitals and control characters")
        }
    }

    package static func check(name: String) throws(StoreError) {
        // A scalar has at most 4 bytes, so the constant-time comparison bounds the count.
        guard name.utf8.count <= 4 * maximumNameLength, 1...maximumNameLength ~= name.unicodeScalars.count else {
            throw .invalidAccount("a display name has 1 to \(maximumNameLength) characters")
        }
    }

    package static func check(_ change: ProfileChange) throws(StoreError) {
        if let name = change.name.text { try check(name: name) }
        guard let picture = change.picture.text else { return }
        guard 1...maximumPictureSize ~= picture.utf8.count, picture.utf8.allSatisfy({ 0x21...0x7E ~= $0 }) else {
            throw .invalidAccount("a picture has 1 to \(maximumPictureSize) visible ASCII characters")
        }
    }

    package static func check(_ ticket: EmailTicket) throws(StoreError) {
        if let previous = ticket.previous { try check(email: previous) }
        guard 1...maximumTicketSize ~= ticket.name.utf8.count, 1...maximumEventSize ~= ticket.event.utf8.count else {
            throw .invalidAccount(
                "a ticket has 1 to \(maximumTicketSize) bytes, its event 1 to \(maximumEventSize) bytes")
        }
    }

    package static func check(_ change: EmailChange) throws(StoreError) {
        if let previous = change.previous { try check(email: previous) }
        try check(email: change.email)
        if let link = change.link { try check(link) }
        guard change.ticket.map({ 1...maximumTicketSize ~= $0.utf8.count }) ?? true else {
            throw .invalidAccount("a ticket has 1 to \(maximumTicketSize) bytes")
        }
    }

    package static func check(setting name: String, _ value: [UInt8]) throws(StoreError) {
        guard 1...maximumSettingNameSize ~= name.utf8.count, 1...maximumSettingSize ~= value.count,
            name.utf8.allSatisfy({ UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") })
        else {
            throw .invalidAccount(
                "a setting name has 1 to \(maximumSettingNameSize) letters a to z and _, its value 1 to"
                    + " \(maximumSettingSize) bytes")
        }
    }

    /// Checks a new account and returns its only link.
    package static func check(creating account: AccountRecord) throws(StoreError) -> IdentityLink {
        try check(user: account.user)
        guard account.links.count == 1, let only = account.links.first, account.created != nil else {
            throw .invalidAccount("a new account requires its creation time and exactly one link")
        }
        if let email = account.email { try check(email: email) }
        if let name = account.name { try check(name: name) }
        let link = IdentityLink(provider: only.key, subject: only.value)
        try check(link)
        return link
    }
}

extension StoreBounds {
    /// The maximum number of open flows of one browser.
    package static let maximumFlowsPerHolder = 16
    /// The maximum size of a flow's value, in bytes.
    package static let maximumFlowSize = 65_536
    /// The maximum lifetime of a flow, in seconds.
    package static let maximumFlowLifetime: Int64 = 3_600

    package static func check(flow value: String, lifetime: Int64) throws(StoreError) {
        guard 1...maximumFlowLifetime ~= lifetime else { throw .invalidLifetime(lifetime) }
        guard 1...maximumFlowSize ~= value.utf8.count else {
            throw .invalidAccount("a flow has 1 to \(maximumFlowSize) bytes")
        }
    }
}

extension StoreError {
    package static func invalidAccount(_ message: String) -> StoreError { StoreError(.invalidAccount, message) }

    package static func tooManyLinks() -> StoreError {
        StoreError(.tooManyLinks, "an account has at most \(StoreBounds.maximumLinks) links; unlink a provider first")
    }
}

extension String {
    /// Returns whether both strings have the same bytes. `==` compares by canonical equivalence.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
