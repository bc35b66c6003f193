extension Configuration {
    /// Answer fields that are set and left out (`response_headers`, `routes[].response_headers`).
    package struct ResponseHeaders: Sendable, Hashable {
        /// One field to set.
        package struct Field: Sendable, Hashable {
            /// Its name.
            package var name: String
            /// Its value: visible ASCII, spaces within.
            package var value: String

            /// A field.
            package init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The most fields to set, and to leave out.
        package static let maximumFields = 32
        /// The longest value, in bytes.
        package static let longestValue = 4_096

        /// Fields of every answer, in the place of the upstream's (`set`), at most 32, in the order of the file. Default: none.
        package var set: [Field] = []
        /// Names of fields of upstreams' answers that are left out (`remove`), at most 32. Default: none.
        package var remove: [String] = []

        /// Nothing.
        package init() {}
    }
}
