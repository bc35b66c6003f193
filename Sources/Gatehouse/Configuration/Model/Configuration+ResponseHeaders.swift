extension Configuration {
    /// Answer fields that are set and left out (`response_headers`, `routes[].response_headers`).
    public struct ResponseHeaders: Sendable, Hashable {
        /// One field to set.
        public struct Field: Sendable, Hashable {
            /// Its name.
            public var name: String
            /// Its value: visible ASCII, spaces within.
            public var value: String

            /// A field.
            public init(name: String, value: String) {
                self.name = name
                self.value = value
            }
        }

        /// The most fields to set, and to leave out.
        public static let maximumFields = 32
        /// The longest value, in bytes.
        public static let longestValue = 4_096

        /// Fields of every answer, in the place of the upstream's (`set`), at most 32, in the order of the file. Default: none.
        public var set: [Field] = []
        /// Names of fields of upstreams' answers that are left out (`remove`), at most 32. Default: none.
        public var remove: [String] = []

        /// Nothing.
        public init() {}
    }
}
