package import GatewayCore

/// The author of a change of a user's record, and the policy of the author's changes.
package struct ChangeAuthor: Sendable, Equatable {
    /// The name of the transmitter whose event causes the change. `nil` for the gateway, an operator or the user.
    package var transmitter: String?
    /// The time of the event.
    package var time: UnixTime
    /// Whether the change may be written back to Firebase.
    package var isWrittenBack: Bool
    /// The end of the record of a user unknown to the store, with a reserved place. A record that does not end never
    /// gets an end. `nil` for a record that does not end.
    package var expires: UnixTime?

    /// The gateway, an operator or the user.
    package static let gateway = ChangeAuthor(transmitter: nil, time: 0)

    package init(
        transmitter: String?, time: UnixTime, isWrittenBack: Bool = true, expires: UnixTime? = nil
    ) {
        (self.transmitter, self.time) = (transmitter, time)
        (self.isWrittenBack, self.expires) = (isWrittenBack, expires)
    }

    /// The same policy without a transmitter, so that no event lifts a block of this author.
    package var withoutTransmitter: ChangeAuthor {
        var author = self
        author.transmitter = nil
        return author
    }
}

/// The result of a reservation.
package enum RecordReservation: Sendable, Equatable {
    /// The user has a record that does not end. No place was taken.
    case known
    /// The user has a place.
    case reserved
    /// The transmitter has no further place.
    case full
}

/// The blocks of a disabled user by their authors.
///
/// The stored text has `NAME=TIME` for each author, separated by spaces and sorted by name: a transmitter and the time
/// of its event, or `*=0` for all other authors. Without a text, a disabled user has the block of the other authors.
package struct UserBlocks: Equatable {
    /// The name of the authors other than transmitters.
    package static let others = "*"
    /// The maximum number of authors. The block of a further one counts as that of the others.
    package static let maximum = 32

    private var times: [String: Int64] = [:]

    /// Parses the stored text of a user. Invalid parts are ignored.
    package init(isDisabled: Bool, _ text: String?) {
        guard isDisabled else { return }
        for part in (text ?? "").split(separator: " ").prefix(Self.maximum + 1) {
            let pair = part.split(separator: "=", omittingEmptySubsequences: false)
            guard pair.count == 2, !pair[0].isEmpty, let time = Int64(pair[1]), time >= 0 else { continue }
            times[String(pair[0])] = time
        }
        // No text, or one without a valid part, must not make the user's block liftable.
        if times.isEmpty { times[Self.others] = 0 }
    }

    package var isEmpty: Bool { times.isEmpty }

    /// The text to store. `nil` if there is no block of a transmitter.
    package var text: String? {
        guard times.contains(where: { $0.key != Self.others }) else { return nil }
        return times.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    }

    /// Adds the block of an author, or lifts the blocks that the author may lift.
    package mutating func set(_ isDisabled: Bool, by author: ChangeAuthor) {
        switch (isDisabled, author.transmitter) {
        case (true, nil): times[Self.others] = 0
        case (true, let name?):
            guard times[name] != nil || times.count < Self.maximum else { return times[Self.others] = 0 }
            times[name] = max(times[name] ?? 0, author.time.seconds)
        case (false, nil): times = [:]
        case (false, let name?):
            if let time = times[name], time <= author.time.seconds { times[name] = nil }
        }
    }
}
