import Revocation

@testable import RevocationStores

/// A model of a Redis server: hashes, a stream, and a clock for the IDs of its entries.
struct ReplicaModelServer {
    private(set) var records: [ReplicaKey: RecordWord] = [:]
    private(set) var entries: [ReplicaEntry] = []
    private(set) var last = ReplicaStreamID.zero
    private(set) var added: UInt64 = 0
    /// The difference of this server's clock, in milliseconds.
    var clockOffset: Int64 = 0
    var process: UInt8 = 0
    var countsEntries = true

    mutating func set(_ key: ReplicaKey, _ word: RecordWord) {
        records[key] = word == .none ? nil : word
    }

    mutating func add(_ fields: [String], now: UInt64) {
        let time = UInt64(Int64(now / 1_000_000) + clockOffset)
        last =
            time > last.milliseconds
            ? ReplicaStreamID(milliseconds: time, sequence: 0)
            : ReplicaStreamID(milliseconds: last.milliseconds, sequence: last.sequence + 1)
        added += 1
        entries.append(ReplicaEntry(id: last, fields: fields.map { Array($0.utf8) }))
    }

    mutating func trim(keeping count: Int) {
        entries.removeFirst(max(entries.count - count, 0))
    }

    mutating func removeEntry(_ index: Int) {
        entries.remove(at: index)
    }

    /// Replaces the stream by one whose count includes this many removed entries.
    mutating func deleteStream(havingAdded count: UInt64) {
        (entries, last, added) = ([], .zero, count)
    }

    /// The reply to a command. `nil` while a read waits for an entry.
    func answer(_ command: ReplicaCommand, sliceSize: Int) -> ReplicaReply? {
        switch command {
        case .identity: return .identity(ReplicaIdentity(names: [[process]], isMaster: true))
        case .information: return .information(information)
        case .record(let key): return .record(records[key] ?? .none)
        case .slot: return .slot(isComplete: true)
        case .slice(let cursor): return .slice(slice(after: cursor, size: sliceSize))
        case .changes(let id, let count, let block):
            let found = Array(entries.filter { $0.id > id }.prefix(count))
            return found.isEmpty && block != nil ? nil : .changes(found)
        }
    }

    private var information: ReplicaStreamInformation? {
        if last == .zero { return nil }
        return ReplicaStreamInformation(
            last: last, added: countsEntries ? added : nil, first: entries.first?.id)
    }

    /// Returns every key that exists during the whole iteration, whatever changes meanwhile.
    private func slice(after cursor: UInt64, size: Int) -> ReplicaSlice {
        let sorted = records.keys.map { (place($0), $0) }.filter { $0.0 > cursor }.sorted { $0.0 < $1.0 }
        let taken = sorted.prefix(size)
        return ReplicaSlice(cursor: sorted.count > size ? taken.last?.0 ?? 0 : 0, keys: taken.map { $0.1 })
    }

    private func place(_ key: ReplicaKey) -> UInt64 {
        key.bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } | 1
    }
}
