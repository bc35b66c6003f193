package import GatewayCore
package import Logging
package import NIOCore
package import Redis
package import Revocation
import Synchronization

/// The rate limit buckets in Redis, on a connection of their own, so that they never delay a revocation.
///
/// It connects with the first charge.
package final class RedisRateStore: RateStore {
    private let client: RedisClient
    /// How long a pipeline of charges may take, and the first one may wait for its connection.
    private let timeout: Duration
    private let isStarted = Mutex(false)

    /// Creates the store without a connection.
    ///
    /// - Parameter loop: The event loop of the connection, which must outlive the store.
    package init(_ configuration: RedisConfiguration, loop: any EventLoop, clock: GatewayClock, logger: Logger) {
        timeout = configuration.replyTimeout
        client = RedisClient(configuration, loop: loop, logger: logger, clock: clock.monotonic)
    }

    /// Charges buckets in one pipeline. Each script has one key, as a Redis Cluster requires.
    package func charge(_ charges: [RateCharge]) async throws(StoreError) -> [UInt64] {
        guard let first = charges.first else { return [] }
        await connect()
        var pipeline = Self.command(first)
        // A charge that was executed is not repeated because another one was redirected.
        pipeline.isIndependent = true
        for charge in charges.dropFirst() { pipeline.append(Self.command(charge)) }
        let replies: [RedisValue]
        do throws(RedisFailure) {
            replies = try await client.send(pipeline, timeout: timeout)
        } catch {
            throw StoreError(error)
        }
        var times: [UInt64] = []
        for reply in replies {
            if let refusal = reply.serverError { throw StoreError(refusal) }
            guard case .integer(let microseconds) = reply, microseconds >= 0 else { throw .unexpectedReply() }
            let (time, overflows) = UInt64(microseconds).multipliedReportingOverflow(by: 1_000)
            times.append(overflows ? .max : time)
        }
        guard times.count == charges.count else { throw .unexpectedReply() }
        return times
    }

    /// Closes the connection.
    package func close() async {
        guard isStarted.withLock({ $0 }) else { return }
        await client.close()
    }

    private func connect() async {
        let isFirst = isStarted.withLock { isStarted in
            defer { isStarted = true }
            return !isStarted
        }
        guard isFirst else { return }
        client.start()
        _ = await client.isReady(within: timeout)
    }

    private static func command(_ charge: RateCharge) -> RedisCommand {
        RedisScript.chargeRate.command(
            RedisKeys.rate(charge.name), ["\(charge.requests)", "\(charge.interval)", "\(charge.longest)"])
    }
}

extension RedisScript {
    /// Charges ARGV[1] requests, each of which takes ARGV[2] nanoseconds to refill, to a bucket that is full after at
    /// most ARGV[3] nanoseconds. Returns the microseconds until it is full. A full bucket has no key.
    ///
    /// The value is the time at which the bucket is full, in microseconds of the server since 1,700,000,000 s, so that
    /// a number of Lua keeps its fractions. Another value or type counts as a full bucket.
    static let chargeRate = RedisScript(
        frequent: """
            local time = redis.call('TIME')
            local now = (time[1] - 1700000000) * 1000000 + time[2]
            local old = redis.pcall('GET', KEYS[1])
            local full = type(old) == 'string' and tonumber(old)
            if not full or full ~= full or full < now then full = now end
            full = math.min(math.max(full + ARGV[1] * ARGV[2] / 1000, now), now + ARGV[3] / 1000)
            local left = math.ceil(full - now)
            if left > 0 then
                local life = string.format('%.0f', math.ceil(left / 1000))
                redis.call('SET', KEYS[1], string.format('%.3f', full), 'PX', life)
            else
                redis.call('DEL', KEYS[1])
            end
            return left
            """)
}
