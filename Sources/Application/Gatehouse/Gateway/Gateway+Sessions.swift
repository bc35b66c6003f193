import Accounts
import GatewayConfiguration
import GatewayCore
import JOSE
import Logging

extension Gateway {
    /// Settles what signs session cookies, again and again until the store tells, and hands it to the workers.
    func settleSessions() async {
        let first = current
        guard let accounts = first.configuration.accounts, let authority = first.sources.sessions else { return }
        var pause = Duration.milliseconds(100)
        var told: String?
        while !Task.isCancelled {
            do {
                try await authority.load(accounts, files: first.snapshot.sessionKeyFiles, from: store)
                break
            } catch {
                let level = "\(error)" == told ? Logger.Level.debug : .error
                logger.log(
                    level: level, "the store does not tell the session cookies' issuer and key",
                    metadata: ["error": "\(error)"])
                told = "\(error)"
                try? await Task.sleep(for: pause)
                pause = min(pause * 2, .seconds(5))
            }
        }
        guard let keys = authority.keys else { return }
        logger.info("sessions", metadata: ["issuer": "\(keys.issuer)", "kid": "\(keys.current.keyID)"])
        for loop in loops { loop.execute { $0.install(keys, of: first.sources.keys) } }
    }
}
