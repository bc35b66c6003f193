extension Configuration {
    /// One public listener (`listen[]`).
    public struct Listener: Sendable, Hashable {
        /// Where it listens (`address`).
        public var address: ListenAddress

        /// A listener at an address.
        public init(address: ListenAddress) {
            self.address = address
        }
    }
}
