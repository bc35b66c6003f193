package import GatewayCore
import Logging
import Redis
package import Revocation

/// Records of users unknown to the store: the steps each touch one key.
extension RedisStore {
    /// The maximum number of records that one purge removes for each transmitter.
    static let maximumRemovals = 1000

    /// Reserves a place in the sorted set of the transmitter.
    package func reserve(
        _ user: UserKey, for transmitter: String, until expires: UnixTime?, limit: Int
    ) async throws(StoreError) -> RecordReservation {
        try StoreBounds.check(user: user)
        let known = try await commands.query(RedisScript.isKnown.command(RedisKeys.user(user)))
        if known.first == .integer(1) { return .known }
        let reserve = RedisScript.reserve.command(
            RedisKeys.unknownUsers(of: transmitter), [user.name, "\(expires ?? .latest)", "\(limit)"])
        let replies = try await commands.query(
            RedisCommand(["HSET", RedisKeys.transmitters, transmitter, ""]) + reserve, faulty: Self.faultyPlaces())
        guard replies.count == 2, case .integer(let isReserved) = replies[1] else { throw .unexpectedReply() }
        return isReserved == 1 ? .reserved : .full
    }

    /// Removes records that ended, and frees their places. A record that fails stays, and does not prevent the others.
    ///
    /// - Returns: The number of removed records.
    func removeEndedUsers(now: Int64) async throws(StoreError) -> Int {
        try await commands.run { () async throws(StoreError) in
            let list = RedisCommand(["HGETALL", RedisKeys.transmitters])
            guard case .array(let fields)? = try await commands.send(list, faulty: Self.faultyPlaces()).first else {
                throw .unexpectedReply()
            }
            var count = 0
            for index in stride(from: 0, to: fields.count, by: 2) {
                guard let transmitter = fields[index].text else { continue }
                count += try await removeEndedUsers(of: transmitter, now: UnixTime(clamping: now))
            }
            return count
        }
    }

    private func removeEndedUsers(of transmitter: String, now: UnixTime) async throws(StoreError) -> Int {
        let places = RedisKeys.unknownUsers(of: transmitter)
        let ended = RedisScript.ended.command(places, ["\(now)", "\(Self.maximumRemovals)"])
        guard case .array(let names)? = try await commands.send(ended, faulty: Self.faultyPlaces()).first else {
            throw .unexpectedReply()
        }
        var count = 0
        for name in names.compactMap(\.text) {
            do throws(StoreError) {
                if try await removeEnded(UserKey(name: name), now: now) { count += 1 }
                _ = try await commands.send(
                    RedisScript.freePlace.command(places, [name, "\(now)"]), faulty: Self.faultyPlaces())
            } catch {
                guard error.code != .closed else { throw error }
                logger.warning(
                    "the record of an unknown user could not be removed", metadata: ["error": "\(error)"])
            }
        }
        return count
    }

    /// Removes a record that ended, then publishes that. If the gateway stops in between, the place remains and a later
    /// purge publishes it.
    private func removeEnded(_ user: UserKey, now: UnixTime) async throws(StoreError) -> Bool {
        guard (try? StoreBounds.check(user: user)) != nil else { return false }
        let command = RedisScript.removeEnded.command(RedisKeys.user(user), ["\(now)"])
        guard try await commands.send(command, faulty: .userIsNoHash()).first == .integer(1) else { return false }
        _ = try await commands.send(RedisChange.removed(uid: user).command, faulty: nil)
        return true
    }

    private static func faultyPlaces() -> StoreError {
        .faultyRecord(repair: "a key of the unknown users of transmitters has the wrong type; remove it")
    }
}
