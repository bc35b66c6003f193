/// The gateways that share a store.
///
/// A facet of a store, beside `Store`. An announcement is for operators only; no decision depends on it.
package protocol FleetStore: Sendable {
    /// Announces a gateway for `FleetEntry.lifetime` seconds, and returns the announcements of other gateways. `nil`
    /// if the store has only one gateway.
    ///
    /// - Parameter now: The caller's time, in seconds since 1970. Gateways compare it with each other's.
    func announce(_ gateway: FleetEntry, now: Int64) async throws(StoreError) -> [FleetEntry]?
}

/// The announcement of one gateway.
package struct FleetEntry: Sendable, Equatable {
    /// How long an announcement is valid, in seconds, and how often it is repeated.
    package static let lifetime: Int64 = 45
    package static let interval: Int64 = 10
    /// The maximum number of announced gateways. Further ones are not announced.
    package static let limit = 256
    /// The maximum size of an identifier and of a text, in bytes.
    package static let longestID = 64
    package static let longestText = 2048

    /// The identifier of the process.
    package let id: String
    /// A JSON object.
    package let text: String

    /// Creates an entry.
    package init(id: String, text: String) {
        self.id = id
        self.text = text
    }

    /// Whether the parts are within their limits.
    package var isValid: Bool {
        (1...Self.longestID).contains(id.utf8.count) && text.utf8.count <= Self.longestText
    }
}
