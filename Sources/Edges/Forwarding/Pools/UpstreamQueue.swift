import NIOCore

/// The queue of requests that wait for a connection to one upstream, in order of arrival, as a pure value.
///
/// Uploads that may not have a connection yet are skipped. They may use only a share of the queue.
struct UpstreamQueue<Waiter> {
    /// A waiting request.
    struct Entry {
        let waiter: Waiter
        /// Whether its body is incomplete.
        var isUpload: Bool
    }

    /// The maximum number of waiting requests.
    let limit: Int
    private var entries: CircularBuffer<Entry> = []
    private var uploads = 0

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { entries.count }

    /// Appends a request. Returns `false` if the limit is reached.
    mutating func append(_ waiter: Waiter, isUpload: Bool) -> Bool {
        guard entries.count < limit, !isUpload || uploads < UploadShare.of(limit) else { return false }
        entries.append(Entry(waiter: waiter, isUpload: isUpload))
        if isUpload { uploads += 1 }
        return true
    }

    @inline(__always)
    func hasNext(withUploads: Bool) -> Bool { entries.count > (withUploads ? 0 : uploads) }

    /// Removes and returns the first request, or the first one that is not an upload.
    mutating func popNext(withUploads: Bool) -> Entry? {
        guard hasNext(withUploads: withUploads) else { return nil }
        let index = withUploads ? entries.startIndex : entries.firstIndex { !$0.isUpload }
        return index.map { take(at: $0) }
    }

    mutating func removeFirst(where isTheOne: (Waiter) -> Bool) {
        guard let index = entries.firstIndex(where: { isTheOne($0.waiter) }) else { return }
        _ = take(at: index)
    }

    mutating func removeAll(while condition: (Waiter) -> Bool) -> [Waiter] {
        var removed: [Waiter] = []
        while let first = entries.first, condition(first.waiter) { removed.append(take(at: entries.startIndex).waiter) }
        return removed
    }

    /// Reclassifies uploads whose bodies are complete.
    mutating func settleUploads(where hasEnded: (Waiter) -> Bool) {
        guard uploads > 0 else { return }
        for index in entries.indices where entries[index].isUpload && hasEnded(entries[index].waiter) {
            entries[index].isUpload = false
            uploads -= 1
        }
    }

    private mutating func take(at index: CircularBuffer<Entry>.Index) -> Entry {
        let entry = entries.remove(at: index)
        if entry.isUpload { uploads -= 1 }
        return entry
    }
}
