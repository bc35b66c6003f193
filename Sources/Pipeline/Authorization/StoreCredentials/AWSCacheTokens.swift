import GatewayConfiguration
import GatewayCore
import OutboundHTTP
import Revocation

/// Tokens for a cache at AWS: a request for the action `connect`, which the gateway signs and the cache verifies
/// (ElastiCache User Guide and MemoryDB Developer Guide, "Authenticating with IAM").
struct AWSCacheTokens: Sendable {
    /// The lifetime of a token, in seconds: the maximum that AWS accepts.
    static let lifetime = 900

    let cache: RedisLocation.AWSCache
    /// The ID of the user, which is also its name.
    let user: String
    let source: AWSKeySource

    /// Returns a token.
    ///
    /// - Parameter step: The timeout of each request for keys, of which there are at most four.
    func token(
        _ transport: any OutboundTransport, step: Duration, now: Int64
    ) async throws(LookupFailure) -> StoreToken {
        let (keys, region) = try await source.keys(transport, step: step, now: now)
        return try token(by: keys, in: region, now: now)
    }

    /// Signs a token. It expires with the keys, because AWS rejects a token of expired keys.
    func token(by keys: AWSKeys, in region: String, now: Int64) throws(LookupFailure) -> StoreToken {
        let time = UnixTime(clamping: now)
        let end = time.adding(Int64(Self.lifetime))
        let expires = min(end, keys.expires ?? end)
        guard expires > time else { throw LookupFailure(.ownCredentials, "the keys of AWS have expired") }
        var request = AWSRequest(
            method: "GET", query: [("Action", "connect"), ("User", user)], fields: [("host", cache.name)])
        if cache.kind == .serverless { request.query.append(("ResourceType", "ServerlessCache")) }
        let service = cache.kind == .memoryDB ? "memorydb" : "elasticache"
        let scope = AWSRequest.Scope(now: now, region: region, service: service)
        guard let query = request.signedQuery(by: keys, scope, lifetime: Self.lifetime) else {
            throw LookupFailure(.ownCredentials, "the token could not be signed")
        }
        return StoreToken(Secret("\(cache.name)\(request.path)?\(query)"), expires: expires)
    }
}
