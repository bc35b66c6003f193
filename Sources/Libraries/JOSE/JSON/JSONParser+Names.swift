internal import CLibcrypto

extension JSONParser {
    /// A name that the object at `index` has twice, escapes resolved; nil when all differ.
    ///
    /// Small objects are compared pair by pair. Larger ones are sorted, which keeps the cost at n log n comparisons
    /// whatever the names are; a hash table would be at the mercy of whoever chooses them.
    func duplicateName(of index: Int) -> JSONNode? {
        let count = Int(nodes[index].count)
        return count <= 16 ? duplicateByPairs(of: index) : duplicateBySorting(of: index, count: count)
    }

    private func duplicateByPairs(of object: Int) -> JSONNode? {
        let end = Int(nodes[object].next)
        var later = Int(nodes[object + 2].next)
        while later < end {
            var earlier = object + 1
            while earlier < later {
                if hasSameName(nodes[earlier], nodes[later]) { return nodes[later] }
                earlier = Int(nodes[earlier + 1].next)
            }
            later = Int(nodes[later + 1].next)
        }
        return nil
    }

    private func duplicateBySorting(of object: Int, count: Int) -> JSONNode? {
        var names: [JSONNode] = []
        names.reserveCapacity(count)
        var name = object + 1
        while name < Int(nodes[object].next) {
            names.append(nodes[name])
            name = Int(nodes[name + 1].next)
        }
        sort(&names)
        return zip(names, names.dropFirst()).first { hasSameName($0, $1) }?.1
    }

    /// Brings equal names together. The order is only one of value where a name has escapes; else length goes first.
    private func sort(_ names: inout [JSONNode]) {
        if names.contains(where: \.isEscaped) {
            names.sort { bytes(of: $0).lexicographicallyPrecedes(bytes(of: $1)) }
        } else {
            names.sort { compareText($0, $1) < 0 }
        }
    }

    private func compareText(_ a: JSONNode, _ b: JSONNode) -> Int {
        let (length, other) = (Int(a.end &- a.start), Int(b.end &- b.start))
        guard length == other else { return length - other }
        guard let base = text.baseAddress else { return 0 }
        return Int(memcmp(base + Int(a.start), base + Int(b.start), length))
    }

    @inline(__always)
    private func hasSameName(_ a: JSONNode, _ b: JSONNode) -> Bool {
        if a.isEscaped || b.isEscaped { return bytes(of: a).elementsEqual(bytes(of: b)) }
        guard a.end &- a.start == b.end &- b.start else { return false }
        return equalBytes(
            UnsafeBufferPointer(rebasing: text[Int(a.start)..<Int(a.end)]),
            UnsafeBufferPointer(rebasing: text[Int(b.start)..<Int(b.end)]))
    }

    private func bytes(of node: JSONNode) -> JSONStringBytes {
        JSONStringBytes(UnsafeBufferPointer(rebasing: text[Int(node.start)..<Int(node.end)]))
    }
}
