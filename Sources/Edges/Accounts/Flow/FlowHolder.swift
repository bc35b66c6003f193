import JOSE

/// The holder of values in the store during flows. Without the holder's value, the values can be neither read nor
/// removed.
protocol FlowHolder: Sendable {
    /// The kind of holder, which separates the hashes of kinds.
    static var kind: String { get }
    var value: String { get }
}

extension FlowHolder {
    /// Returns the hash by which the store knows the holder.
    func holder() throws(AccountDenial) -> SHA256Digest { try AccountDenial.hash(Array("\(Self.kind):\(value)".utf8)) }

    /// Returns the name of a value of this holder. `kind` separates states from other values, and the lengths make the
    /// hashed text unambiguous.
    func name(_ kind: String, _ text: String) throws(AccountDenial) -> SHA256Digest {
        try AccountDenial.hash(Array("\(kind):\(text.utf8.count):\(text):\(value)".utf8))
    }
}
