/// The text form of an IPv6 address (RFC 3986 section 3.2.2 `IPv6address`), without a zone.
enum IPv6Text {
    /// Whether the bytes are an address: eight groups, or fewer with one `::`; the last two may be an IPv4 address.
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count >= 2, bytes.count <= 45 else { return false }
        var reader = Reader(bytes: bytes)
        return reader.readAddress()
    }

    private struct Reader {
        let bytes: UnsafeRawBufferPointer
        var position = 0
        var groups = 0
        var compressed = false

        mutating func readAddress() -> Bool {
            if startsWithDoubleColon() {
                position = 2
                compressed = true
            }
            while position < bytes.count {
                guard groups < 8, readGroup() else { return false }
            }
            return compressed ? groups <= 7 : groups == 8
        }

        private func startsWithDoubleColon() -> Bool {
            position + 1 < bytes.count && bytes[position] == 0x3A && bytes[position + 1] == 0x3A
        }

        /// Reads one group and the colons after it, or the IPv4 address that ends the text.
        private mutating func readGroup() -> Bool {
            let start = position
            while position < bytes.count, position - start < 4, ByteClass.hexValue(bytes[position]) != nil {
                position += 1
            }
            guard position > start else { return false }
            if position < bytes.count, bytes[position] == 0x2E { return readIPv4(from: start) }
            groups += 1
            return position == bytes.count || readColons()
        }

        private mutating func readColons() -> Bool {
            if startsWithDoubleColon() {
                guard !compressed else { return false }
                compressed = true
                position += 2
                return true
            }
            guard bytes[position] == 0x3A, position + 1 < bytes.count else { return false }
            position += 1
            return true
        }

        private mutating func readIPv4(from start: Int) -> Bool {
            position = start
            groups += 2
            for octet in 0..<4 {
                if octet > 0 {
                    guard position < bytes.count, bytes[position] == 0x2E else { return false }
                    position += 1
                }
                guard readOctet() else { return false }
            }
            return position == bytes.count && groups <= 8
        }

        private mutating func readOctet() -> Bool {
            let start = position
            var number = 0
            while position < bytes.count, position - start < 3, ByteClass.isDigit(bytes[position]) {
                number = number * 10 + Int(bytes[position] - 0x30)
                position += 1
            }
            let digits = position - start
            return digits > 0 && number <= 255 && (digits == 1 || bytes[start] != 0x30)
        }
    }
}
