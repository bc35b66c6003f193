extension JSONValue {
    /// Whether this is a string with exactly the bytes of `literal`. Allocates nothing.
    public func equals(_ literal: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        return storage.string(node, equals: bytes)
    }

    /// Whether this is a string with exactly the UTF-8 of `string`. Allocates nothing where neither has to be unpacked.
    @_disfavoredOverload
    public func equals(_ string: String) -> Bool {
        storage.string(node, equals: string)
    }

    /// Whether this is a string with exactly these bytes. Allocates nothing.
    @_disfavoredOverload
    public func equals(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBufferPointer { storage.string(node, equals: $0) }
    }
}

extension JSONStorage {
    /// Whether `node` is a string, or a member's name, whose value is `bytes`.
    func string(_ node: JSONNode, equals bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard node.kind == .string else { return false }
        return withText(of: node) { text in
            node.isEscaped ? JSONStringBytes(text).elementsEqual(bytes) : equalBytes(text, bytes)
        }
    }

    /// As above, by a string's UTF-8.
    func string(_ node: JSONNode, equals string: String) -> Bool {
        let answer = string.utf8.withContiguousStorageIfAvailable { self.string(node, equals: $0) }
        return answer ?? Array(string.utf8).withUnsafeBufferPointer { self.string(node, equals: $0) }
    }
}
