/// The stream numbers at NIO, which differ from the numbers of the client after late heads.
///
/// A client may send trailers before it receives the reset of their stream. They must be ignored (RFC 9113 section
/// 5.1), but decoded, because they change the compression table. NIO takes such a head for a new stream with a used
/// number, and ends the connection. A late head therefore gets the next free number, and all later streams of the
/// client get higher ones.
struct StreamNumbering: Sendable, Equatable {
    /// The maximum number of shifts. Each needs at least one late head.
    static let maximum = 256
    /// The number of shifts from which the connection should be replaced by another.
    static let preferredMaximum = 64
    private static let highest: UInt32 = 0x7FFF_FFFF

    /// The numbers of the streams above `stream`, up to the stream of the next entry, are higher by `distance`.
    private struct Shift: Equatable {
        var stream: UInt32
        var distance: UInt32
    }

    private var shifts: [Shift] = []

    /// Whether NIO and the client have the same numbers.
    var isIdentity: Bool { shifts.isEmpty }
    /// Whether the connection should end, because it has had many late heads.
    var isWorn: Bool { shifts.count >= Self.preferredMaximum }

    /// Returns the number for a late head. `nil` if there have been too many.
    ///
    /// - Parameter last: The highest stream of the client.
    mutating func lateHead(after last: UInt32) -> UInt32? {
        let distance = (shifts.last?.distance ?? 0) + 2
        guard last <= Self.highest - distance else { return nil }
        if let previous = shifts.indices.last, shifts[previous].stream == last {
            shifts[previous].distance = distance
        } else {
            guard shifts.count < Self.maximum else { return nil }
            shifts.append(Shift(stream: last, distance: distance))
        }
        return last + distance
    }

    /// Returns the number at NIO. `nil` if there is none.
    func number(of stream: UInt32) -> UInt32? {
        let distance = shifts.last { $0.stream < stream }?.distance ?? 0
        return stream <= Self.highest - distance ? stream + distance : nil
    }

    /// Returns the stream of the client with a number at NIO. `nil` if the number belongs to a late head.
    func stream(of number: UInt32) -> UInt32? {
        for (index, shift) in shifts.enumerated().reversed() {
            if number > shift.stream + shift.distance { return number - shift.distance }
            let previous = index > 0 ? shifts[index - 1].distance : 0
            if number > shift.stream + previous { return nil }
        }
        return number
    }
}
