extension JSONValue {
    /// The value of an object's member; nil where there is none and for values that are not objects. The cost is the
    /// number of members.
    public subscript(_ member: String) -> JSONValue? {
        guard node.kind == .object else { return nil }
        let end = Int(node.next)
        var name = index + 1
        while name < end {
            if storage.string(storage.nodes[name], equals: member) {
                return JSONValue(storage: storage, index: name + 1)
            }
            name = Int(storage.nodes[name + 1].next)
        }
        return nil
    }

    /// An object's members in the order of the text; none for values that are not objects.
    public var members: JSONMembers { JSONMembers(self) }

    /// An array's elements in the order of the text; none for values that are not arrays.
    public var elements: JSONElements { JSONElements(self) }
}

/// The members of an object.
public struct JSONMembers: Sequence, IteratorProtocol {
    private let storage: JSONStorage
    private var position: Int
    private let end: Int

    init(_ value: JSONValue) {
        storage = value.storage
        position = value.index + 1
        end = value.kind == .object ? Int(value.node.next) : 0
    }

    /// The next member, its name with escapes resolved.
    public mutating func next() -> (name: String, value: JSONValue)? {
        guard position < end else { return nil }
        let name = JSONValue(storage: storage, index: position)
        let value = JSONValue(storage: storage, index: position + 1)
        position = Int(value.node.next)
        return (name.string ?? "", value)
    }
}

/// The elements of an array.
public struct JSONElements: Sequence, IteratorProtocol {
    private let storage: JSONStorage
    private var position: Int
    private let end: Int

    init(_ value: JSONValue) {
        storage = value.storage
        position = value.index + 1
        end = value.kind == .array ? Int(value.node.next) : 0
    }

    /// The next element.
    public mutating func next() -> JSONValue? {
        guard position < end else { return nil }
        let value = JSONValue(storage: storage, index: position)
        position = Int(value.node.next)
        return value
    }
}
