import HTTPWire

/// A network in CIDR notation (RFC 4632, RFC 4291), or a single address.
package struct AddressRange: Hashable, Sendable, CustomStringConvertible {
    /// The reason that a text is not a network.
    package enum Failure: Error, Hashable {
        case notAnAddress
        case badLength
        /// Bits are set beyond the prefix. The value is the network that was probably intended.
        case hostBits(String)
    }

    /// The lowest address, and the number of its fixed bits.
    let network: IPAddress
    package let length: Int

    package init(parsing text: String) throws(Failure) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let address = IPAddress(String(parts[0])) else { throw .notAnAddress }
        // A mapped address counts as IPv4, so 96 bits of its prefix belong to the mapping.
        let isMapped = parts[0].contains(":") && address.width == 32
        var length = address.width
        if parts.count == 2 {
            guard let number = WholeNumber.parse(parts[1]), (0...128).contains(number) else { throw .badLength }
            length = isMapped ? number - 96 : number
            guard (0...address.width).contains(length) else { throw .badLength }
        }
        self.length = length
        network = address.first(length)
        guard network == address else { throw .hostBits(description) }
    }

    package var description: String { length == network.width ? "\(network)" : "\(network)/\(length)" }

    /// Creates the network of an address with a number of fixed bits, at most its width.
    init(_ address: IPAddress, length: Int) {
        self.length = min(length, address.width)
        network = address.first(self.length)
    }

    /// Whether it is a network of IPv4.
    package var isVersion4: Bool { network.width == 32 }

    func contains(_ address: IPAddress) -> Bool {
        address.width == network.width && address.first(length) == network
    }

    /// The last address of the network.
    var last: IPAddress { network.last(length) }
}

extension IPAddress {
    /// The size of the address in bits.
    var width: Int {
        switch self {
        case .version4: 32
        case .version6: 128
        }
    }

    /// Returns the address with zeros after the first `length` bits.
    func first(_ length: Int) -> IPAddress {
        switch self {
        case .version4(let value): .version4(value & ~Self.hostMask(UInt32.self, length))
        case .version6(let value): .version6(value & ~Self.hostMask(UInt128.self, length))
        }
    }

    /// Returns the address with ones after the first `length` bits.
    func last(_ length: Int) -> IPAddress {
        switch self {
        case .version4(let value): .version4(value | Self.hostMask(UInt32.self, length))
        case .version6(let value): .version6(value | Self.hostMask(UInt128.self, length))
        }
    }

    private static func hostMask<Number: FixedWidthInteger>(_: Number.Type, _ length: Int) -> Number {
        // A smart shift by the whole width results in zero.
        Number.max >> length
    }
}
