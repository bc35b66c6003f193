/// The servers of one pool that cannot be connected to, and the throttling of their log lines.
///
/// A pure value; the caller passes increasing times in nanoseconds. It has at most one entry for each server.
struct ServerOutages {
    /// The minimum interval between two lines about the same server.
    static let interval: UInt64 = 30_000_000_000

    private struct Outage {
        var failures: UInt64 = 0
        var lastLogged: UInt64
    }

    private var outages: [Int: Outage] = [:]

    /// Counts a failed connection. Returns the number of failures since the last success if a line is due.
    mutating func failed(_ server: Int, now: UInt64) -> UInt64? {
        var outage = outages[server] ?? Outage(lastLogged: now)
        outage.failures += 1
        let isDue = outage.failures == 1 || now &- outage.lastLogged >= Self.interval
        if isDue { outage.lastLogged = now }
        outages[server] = outage
        return isDue ? outage.failures : nil
    }

    /// Forgets the failures of a server, and returns their number. `nil` without failures.
    mutating func ended(_ server: Int) -> UInt64? { outages.removeValue(forKey: server)?.failures }
}
