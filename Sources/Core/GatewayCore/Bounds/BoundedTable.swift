/// A bounded map from keys to values, which evicts the oldest slot when it is full. A pure value.
package struct BoundedTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Place: Sendable {
        let key: Key
        var value: Value
    }

    let limit: Int
    private var places: [Place?] = []
    private var index: [Key: Int] = [:]
    /// The slot to fill next.
    private var hand = 0

    package init(limit: Int) {
        self.limit = limit
    }

    package var count: Int { index.count }

    package subscript(_ key: Key) -> Value? {
        index[key].flatMap { places[$0]?.value }
    }

    /// Sets the value of a key, in its existing slot or the next one.
    package mutating func set(_ value: Value, for key: Key) {
        if let known = index[key] {
            places[known]?.value = value
            return
        }
        if places.count < limit { places.append(nil) }
        if let evicted = places[hand] { index[evicted.key] = nil }
        places[hand] = Place(key: key, value: value)
        index[key] = hand
        hand = (hand + 1) % limit
    }

    package mutating func remove(_ key: Key) {
        guard let place = index.removeValue(forKey: key) else { return }
        places[place] = nil
    }
}
