internal import Logging

/// The status and the log of a link.
extension RedisLink {
    func report(_ state: RedisLinkStatus.State, at endpoint: RedisEndpoint?) {
        let now = now
        sharedStatus.update { status in
            if (status.state == .ready) != (state == .ready) { status.since = now }
            status.state = state
            if let endpoint { status.endpoint = endpoint }
            status.failures = machine.failures
            status.problem = state == .ready ? nil : problem
        }
    }

    func log(_ problem: RedisProblem) {
        let level: Logger.Level = loggedCodes.insert(problem.code).inserted ? .warning : .debug
        logger.log(
            level: level, machine.isDirectory ? "no connection to \(directoryName)" : "no connection to Redis",
            metadata: ["redis.problem": "\(problem.code.rawValue)", "redis.explanation": "\(problem)"])
    }

    var directoryName: String {
        if case .clusterNode = configuration.location { "a node of the Redis Cluster" } else { "a sentinel of Redis" }
    }
}
