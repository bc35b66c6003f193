import Accounts
import GatewayConfiguration
import JOSE
import Logging

/// The loading of issuer and key of session cookies for the first configuration. It retries until the store returns
/// them, and passes them to the workers.
struct SessionKeyLoader: Sendable {
    let generation: Generation
    let workers: WorkerLoops
    let environment: GatewayEnvironment

    func run() async {
        let (sources, logger) = (generation.sources, environment.logger)
        guard let accounts = generation.configuration.accounts, let authority = sources.sessions else { return }
        var pause = Duration.milliseconds(100)
        var lastLogged: String?
        while !Task.isCancelled {
            do {
                try await authority.load(
                    accounts, files: generation.snapshot.sessionKeyFiles, from: environment.store)
                break
            } catch {
                let level = "\(error)" == lastLogged ? Logger.Level.debug : .error
                logger.log(
                    level: level, "the issuer and key of session cookies cannot be read from the store",
                    metadata: ["error": "\(error)"])
                lastLogged = "\(error)"
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(5))
            }
        }
        guard let keys = authority.keys else { return }
        logger.info("sessions", metadata: ["issuer": "\(keys.issuer)", "kid": "\(keys.current.keyID)"])
        workers.execute { [keySets = sources.keys] in $0.install(keys, of: keySets) }
    }
}
