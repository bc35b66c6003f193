package import GatewayCore

/// A change of the e-mail address of an account, whose user proved the new address.
package struct EmailChange: Sendable, Equatable {
    /// The proof of the new address.
    package enum Proof: Sendable, Equatable {
        /// A linked identity, whose provider vouches for the address.
        case identity(IdentityLink)
        /// The open change of this name, which is used up. The user received its link at the address.
        case ticket(String)
    }

    /// The source of an address that its user proved by a link, in place of a provider.
    package static let linkSource = "email-link"

    /// The current address. `nil` without one. If the account has another one, nothing changes.
    package let previous: String?
    /// The new address, with ASCII letters in lower case. It counts as verified.
    package let email: String
    package let proof: Proof

    package init(previous: String?, email: String, proof: Proof) {
        (self.previous, self.email, self.proof) = (previous, email, proof)
    }

    /// The open change that is used up.
    package var ticket: String? {
        guard case .ticket(let name) = proof else { return nil }
        return name
    }

    /// The event for the application, which notifies the previous address: a JSON object. `nil` if the address stays
    /// the same and is only verified.
    package var event: [UInt8]? {
        guard previous?.isExactly(email) != true else { return nil }
        return ObjectText.object { event in
            event.add("type", "account.email_changed")
            event.add("previous_email", previous)
            event.add("email", email)
        }
    }

    /// The identity that supplies the address.
    package var link: IdentityLink? {
        guard case .identity(let link) = proof else { return nil }
        return link
    }
}

/// The result of a change of an address.
package enum EmailChangeResult: Sendable, Equatable {
    /// The values are the number of events that the outbox did not accept, and the new start of the caller's session.
    /// `restarted` is `nil` if no session continues: it was revoked, or another gateway completed the change first.
    case changed(dropped: Int = 0, restarted: UnixTime? = nil)
    /// The address belongs to this user. Nothing changed.
    case taken(uid: UserKey)
    /// The account has another address, no such open change, or no such link. Nothing changed.
    case stale
    /// The gateway did not create the account, it is deleted, or its list of unlinked identities is incomplete.
    case refused
}

/// A change of an address that waits for the proof by a link. An account has one at most.
package struct EmailTicket: Sendable, Equatable {
    /// A random name.
    package let name: String
    /// The current address, as in `EmailChange`.
    package let previous: String?
    /// The event with the link: a JSON object with `type` and further members.
    package let event: String

    package init(name: String, previous: String?, event: String) {
        (self.name, self.previous, self.event) = (name, previous, event)
    }
}

/// The result of opening a change of an address.
package enum EmailTicketResult: Sendable, Equatable {
    case open
    /// The outbox did not accept the event. Nothing changed.
    case full
    /// The account has another address. Nothing changed.
    case stale
    /// As in `EmailChangeResult`.
    case refused
}
