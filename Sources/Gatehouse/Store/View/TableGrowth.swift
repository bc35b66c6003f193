/// When a shard of a table is rebuilt, and how large it then is.
///
/// A shard is at most 3/4 full, since the probes of a miss, the common answer, grow with the square of what is free,
/// and grows by 1/4, since memory is bounded for 10 million users. A quarter of the shards begins at each of four
/// sizes, so that the shards of an evenly filled table do not all grow at the same moment.
enum TableGrowth {
    static func initialCapacity(shard: Int) -> Int {
        16 + shard % 4
    }

    /// Whether `used` taken places, with or without a record, are too many.
    static func isFull(used: Int, capacity: Int) -> Bool {
        4 * used > 3 * capacity
    }

    /// Whether so many of the taken places lost their record that the shard should be rebuilt without them.
    static func isWasteful(dead: Int, capacity: Int) -> Bool {
        2 * dead > capacity
    }

    /// The capacity of a rebuilt shard that has `live` records: at most 3/5 full, so that it is not rebuilt again soon.
    static func capacity(live: Int, current: Int, initial: Int) -> Int {
        if 5 * live > 3 * current { return max(current + current / 4, 5 * live / 3 + 1) }
        if 5 * live < current { return max(initial, 2 * live + 1) }
        return current
    }
}
