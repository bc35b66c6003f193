/// What those who look after an upstream tell every worker's pool.
package enum UpstreamNews: Sendable {
    /// Its names lead there now.
    case endpoints([UpstreamEndpoint])
    /// A check has ended; `isHealthy` is what follows from it and those before, `why` what it found.
    case checked(UpstreamEndpoint, passed: Bool, isHealthy: Bool, why: String)
}
