internal import JOSE

/// Visits a document through every accessor, and measures it.
struct JSONTree {
    private(set) var depth = 0
    private(set) var values = 0

    mutating func visit(_ value: JSONValue, depth: Int) {
        values += 1
        switch value.kind {
        case .object: visitMembers(value, depth: depth)
        case .array: visitElements(value, depth: depth)
        case .string: checkString(value)
        case .integer, .number: checkNumber(value)
        case .bool: require(value.bool != nil, "a Boolean is one")
        case .null: require(value.bool == nil && value.string == nil, "null is nothing else")
        }
    }

    private mutating func visitMembers(_ object: JSONValue, depth: Int) {
        self.depth = max(self.depth, depth)
        var names: Set<[UInt8]> = []
        var count = 0
        for (name, value) in object.members {
            count += 1
            require(names.insert(Array(name.utf8)).inserted, "no object has a name twice")
            require(object[name].map { isSame($0, value) } ?? false, "a member is found by its name")
            visit(value, depth: depth + 1)
        }
        require(count == object.count, "an object counts its members")
        require(!object.elements.contains { _ in true }, "an object has no elements")
    }

    private mutating func visitElements(_ array: JSONValue, depth: Int) {
        self.depth = max(self.depth, depth)
        var count = 0
        for element in array.elements {
            count += 1
            visit(element, depth: depth + 1)
        }
        require(count == array.count, "an array counts its elements")
        require(!array.members.contains { _ in true }, "an array has no members")
    }

    private func checkString(_ value: JSONValue) {
        guard let string = value.string else { return require(false, "a string has a value") }
        require(value.equals(string) && value.equals(Array(string.utf8)), "a string equals itself")
        require(!value.equals(string + "x") && !value.equals(Array(string.utf8.dropFirst()) + [0xFF]), "and no other")
    }

    /// An integer is that of the standard library, or longer than 64 bits.
    private func checkNumber(_ value: JSONValue) {
        let text = String(decoding: value.compact, as: UTF8.self)
        if value.kind == .integer { require(value.integer == Int64(text), "an integer is its digits") }
        require(value.kind == .integer || value.integer == nil, "a fraction is no integer")
        require(value.double == Double(text).flatMap { $0.isFinite ? $0 : nil }, "a number is the nearest double")
    }
}

/// Whether both are the same value, strings by their bytes and numbers by their spelling.
func isSame(_ one: JSONValue, _ other: JSONValue) -> Bool {
    guard one.kind == other.kind, one.count == other.count, one.bool == other.bool else { return false }
    switch one.kind {
    case .object:
        return zip(one.members, other.members).allSatisfy { left, right in
            left.name.utf8.elementsEqual(right.name.utf8) && isSame(left.value, right.value)
        }
    case .array: return zip(one.elements, other.elements).allSatisfy { isSame($0, $1) }
    case .string: return (one.string ?? "").utf8.elementsEqual((other.string ?? "").utf8)
    case .integer, .number: return one.compact == other.compact
    case .bool, .null: return true
    }
}
