/// The parts of an account's profile that its user can choose. The raw value is part of the embedded store's contract.
package struct ProfileParts: OptionSet, Sendable, Hashable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let name = ProfileParts(rawValue: 1)
    package static let picture = ProfileParts(rawValue: 2)
    package static let email = ProfileParts(rawValue: 4)
    package static let all: ProfileParts = [.name, .picture, .email]
}

/// A change of the display name and the picture by the user of an account.
package struct ProfileChange: Sendable, Equatable {
    /// The change of one part.
    package enum Value: Sendable, Equatable {
        case kept
        /// The user chose to have no value.
        case removed
        case set(String)

        /// The new value. `nil` if the part is kept or removed.
        package var text: String? {
            guard case .set(let text) = self else { return nil }
            return text
        }
    }

    /// At most `StoreBounds.maximumNameLength` characters.
    package var name: Value
    /// At most `StoreBounds.maximumPictureSize` bytes.
    package var picture: Value

    package init(name: Value = .kept, picture: Value = .kept) {
        (self.name, self.picture) = (name, picture)
    }

    package var isEmpty: Bool { name == .kept && picture == .kept }
}
