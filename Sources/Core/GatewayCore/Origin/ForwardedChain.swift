package import HTTPWire

/// The value of one `X-Forwarded-For` field whose sender is trusted: the address that the sender added, and the entries
/// that it received.
package struct ForwardedChain {
    /// The last entry: the peer of the sender.
    package let last: IPAddress
    /// The number of bytes before the comma in front of the last entry. 0 if it is the only one.
    package let earlierLength: Int

    /// Parses a value. `nil` if the last entry is not an address, another one is neither an address nor `unknown`, or
    /// there are more than 32 entries.
    package init?(_ value: UnsafeRawBufferPointer) {
        var members = ReversedMembers(value)
        guard let first = members.next(), case .address(let last) = ForwardedNode(first) else { return nil }
        var count = 1
        while let member = members.next() {
            count += 1
            guard count <= OriginReader.maximumHops, ForwardedNode(member) != nil else { return nil }
        }
        self.last = last
        earlierLength = count == 1 ? 0 : value.lastIndex(of: UInt8(ascii: ",")) ?? 0
    }
}
