import HTTPWire

/// The networks, and optionally the peers of `unix:` listeners, that may report the client of a request. A class, so
/// that a connection can cache a lookup by the identity of the set.
package final class TrustedProxies: Sendable, Equatable {
    /// Disjoint ranges in order.
    private let version4: [ClosedRange<UInt32>]
    private let version6: [ClosedRange<UInt128>]
    /// Whether peers of a `unix:` listener are trusted.
    let includesUnix: Bool
    /// The configured fields of proxies, the smallest networks first.
    private let fields: [FieldsOfRange]
    private let fieldsOfUnix: ProxyFields?

    private struct FieldsOfRange: Equatable {
        let range: AddressRange
        let fields: ProxyFields
    }

    /// Creates a set.
    ///
    /// - Parameters:
    ///   - fields: The fields that the proxies of a network set. Other proxies have unknown fields.
    ///   - fieldsOfUnix: The fields that the peers of `unix:` listeners set.
    package init(
        _ ranges: [AddressRange] = [], includesUnix: Bool = false, fields: [(AddressRange, ProxyFields)] = [],
        fieldsOfUnix: ProxyFields? = nil
    ) {
        self.fields = fields.map { FieldsOfRange(range: $0, fields: $1) }.sorted { $0.range.length > $1.range.length }
        self.fieldsOfUnix = fieldsOfUnix
        var four: [ClosedRange<UInt32>] = []
        var six: [ClosedRange<UInt128>] = []
        for range in ranges {
            switch (range.network, range.last) {
            case (.version4(let first), .version4(let last)): four.append(first...last)
            case (.version6(let first), .version6(let last)): six.append(first...last)
            default: break
            }
        }
        version4 = Self.merged(four)
        version6 = Self.merged(six)
        self.includesUnix = includesUnix
    }

    package static func == (left: TrustedProxies, right: TrustedProxies) -> Bool {
        left.version4 == right.version4 && left.version6 == right.version6 && left.includesUnix == right.includesUnix
            && left.fields == right.fields && left.fieldsOfUnix == right.fieldsOfUnix
    }

    /// Whether no peer is trusted.
    package var isEmpty: Bool { version4.isEmpty && version6.isEmpty && !includesUnix }

    func contains(_ address: IPAddress) -> Bool {
        switch address {
        case .version4(let value): Self.contains(version4, value)
        case .version6(let value): Self.contains(version6, value)
        }
    }

    /// Returns whether a peer may report the client of its requests.
    package func trusts(_ peer: PeerAddress) -> Bool {
        peer.isUnix ? includesUnix : peer.address.map(contains) ?? false
    }

    /// Returns the fields that a trusted peer sets. The smallest network that contains the peer determines them.
    func fields(setBy peer: PeerAddress) -> ProxyFields {
        if peer.isUnix { return fieldsOfUnix ?? .unknown }
        guard let address = peer.address else { return .unknown }
        return fields.first { $0.range.contains(address) }?.fields ?? .unknown
    }

    /// The names of the configured fields with one address.
    package var singleFields: [String] {
        (fields.map(\.fields) + (fieldsOfUnix.map { [$0] } ?? [])).compactMap(\.single)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private static func merged<Number: Comparable>(_ ranges: [ClosedRange<Number>]) -> [ClosedRange<Number>] {
        var result: [ClosedRange<Number>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if let last = result.last, range.lowerBound <= last.upperBound {
                result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
            } else {
                result.append(range)
            }
        }
        return result
    }

    /// Searches the last range that begins at or below `value`, in logarithmic time.
    private static func contains<Number: Comparable>(_ ranges: [ClosedRange<Number>], _ value: Number) -> Bool {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].lowerBound <= value { low = middle + 1 } else { high = middle }
        }
        return low > 0 && ranges[low - 1].upperBound >= value
    }
}
