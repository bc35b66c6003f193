package import GatewayConfiguration
import GatewayCore
import Logging
import NIOPosix
import Redis
package import Revocation

/// A read-only diagnosis of Redis from outside a gateway, on a separate connection.
package enum RedisLookup {
    /// The number of failures that end connecting before `timeouts.lookup` of the location.
    private static let maximumFailures = 3

    /// Returns the records of a user and one session in Redis, as the view would contain them.
    ///
    /// - Parameter tokens: The tokens of the managed service, if the location has one.
    /// - Throws: The reason that they cannot be read.
    package static func records(
        _ location: RedisLocation, tokens: StoreTokenSource? = nil, of uid: UserKey, session: String?
    ) async throws(StoreError) -> (user: RecordWord, session: RecordWord) {
        try StoreBounds.check(user: uid)
        if let session { try StoreBounds.check(session: session) }
        return try await run(location, tokens) { client throws(StoreError) in
            try await read(client, uid, session).get()
        }
    }

    /// Runs `body` with a connected client.
    ///
    /// - Throws: The reason that there is no connection, or the error of `body`.
    static func run<Value>(
        _ location: RedisLocation, _ tokens: StoreTokenSource?,
        _ body: (RedisClient) async throws(StoreError) -> Value
    ) async throws(StoreError) -> Value {
        let silent = Logger(label: "gatehouse.store") { _ in SwiftLogNoOpLogHandler() }
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let configuration = try location.connection()
        let renewal = location.renewal(
            of: configuration, tokens: tokens, loop: loop, clock: .system, logger: silent)
        let client = RedisClient(configuration, loop: loop, logger: silent)
        renewal?.start()
        await waitForCredentials(configuration, renewal, within: location.credentialLimit)
        client.start()
        let result: Result<Value, StoreError>
        if await isConnected(client, within: location.timeouts.lookup) {
            do throws(StoreError) { result = .success(try await body(client)) } catch { result = .failure(error) }
        } else {
            let status = client.status
            result = .failure(StoreError(.io, status.problem.map { "\($0)" } ?? "\(status)"))
        }
        await client.close()
        await renewal?.stop()
        return try result.get()
    }

    private static func read(
        _ client: RedisClient, _ uid: UserKey, _ session: String?
    ) async -> Result<(user: RecordWord, session: RecordWord), StoreError> {
        var command = RedisCommand.hmget(RedisKeys.user(uid), StoredUser.redisFields)
        if let session { command = command + .hmget(RedisKeys.session(uid, session), StoredSession.redisFields) }
        do throws(RedisFailure) {
            let replies = try await client.send(command)
            return Result { () throws(StoreError) in
                guard replies.count == (session == nil ? 1 : 2) else { throw .unexpectedReply() }
                let user = try word(replies[0]) { fields throws(StoreError) in try StoredUser(fieldsOf: fields).word }
                guard session != nil else { return (user, .none) }
                return (
                    user, try word(replies[1]) { fields throws(StoreError) in try StoredSession(fieldsOf: fields).word }
                )
            }
        } catch {
            return .failure(StoreError(error))
        }
    }

    /// Waits for the first credentials that change, or for the failure of their first fetch. Without credentials, each
    /// attempt to connect fails.
    private static func waitForCredentials(
        _ configuration: RedisConfiguration, _ renewal: CredentialRenewal?, within limit: Duration
    ) async {
        guard let credentials = configuration.renewal, let renewal else { return }
        let end = ContinuousClock.now + limit
        while credentials.current == nil, renewal.status.failing == nil, ContinuousClock.now < end {
            do { try await Task.sleep(for: .milliseconds(5)) } catch { return }
        }
    }

    private static func isConnected(_ client: RedisClient, within limit: Duration) async -> Bool {
        let end = ContinuousClock.now + limit
        while client.status.failures < maximumFailures, ContinuousClock.now < end {
            if await client.isReady(within: .milliseconds(50)) { return true }
        }
        return false
    }

    /// A key of the wrong type is a faulty record.
    private static func word(
        _ reply: RedisValue, _ read: ([RedisValue]) throws(StoreError) -> RecordWord
    ) throws(StoreError) -> RecordWord {
        guard let refusal = reply.serverError else { return try read([reply]) }
        guard refusal.code == "WRONGTYPE" else { throw StoreError(refusal) }
        return .faulty
    }
}
