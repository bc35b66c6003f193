/// When a shard of a table is rebuilt, and how large it then is.
///
/// A shard is at most 3/4 full: beyond, the misses, which are the common answer, look at many places. It grows by a
/// little, since memory is bounded for 10 million users, and not all shards by as much, so that the shards of an evenly
/// filled table do not all grow at the same moment.
enum TableGrowth {
    static let initialPlaces = 16

    /// Whether `used` taken places, with or without a record, are too many.
    static func isFull(used: Int, capacity: Int) -> Bool {
        4 * used > 3 * capacity
    }

    /// Whether so many of the taken places lost their record that the shard should be rebuilt without them.
    static func isWasteful(dead: Int, used: Int) -> Bool {
        dead > 8 && 2 * dead > used
    }

    /// The size of a rebuilt shard that has `live` records: 56 to 68 % full.
    static func places(live: Int, shard: Int) -> Int {
        let percent = 56 + 4 * (shard % 4)
        return max(initialPlaces, (100 * live + percent - 1) / percent)
    }
}
