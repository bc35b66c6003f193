import GatewayConfiguration
import GatewayCore
import Observability

extension AdminDocument {
    /// Returns the active configuration: its hash, warnings and reloads.
    static func configuration(_ configuration: AdministeredConfiguration) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("generation", Int64(clamping: configuration.generation))
                body.add("hash", configuration.hash)
                body.add("loaded_at", configuration.loadedAt)
                body.add("reloads", orNull: configuration.reloads) { reloads, output in
                    output.add("accepted", Int64(clamping: reloads.accepted))
                    output.add("refused", Int64(clamping: reloads.refused))
                    output.add("last", orNull: reloads.lastTime) { time, output in
                        output.add("at", time)
                        output.add("ok", reloads.lastRefusal == nil)
                        output.add("error", orNull: reloads.lastRefusal)
                    }
                }
                body.add("warnings", configuration.warnings) { warning, output in
                    output.add("at", "\(warning.location)")
                    output.add("warning", warning.what)
                    output.add("remedy", warning.remedy)
                }
                body.add("insecure_options", configuration.insecureOptions)
            })
    }
}

extension Configuration.Route {
    /// The requirements of the route in words, in the order in which they are checked.
    var policyText: [String] {
        guard auth != .none else { return limitTexts + ["credentials are not checked"] }
        var texts = limitTexts
        texts.append(auth == .required ? "a credential is required" : "anonymous requests are permitted")
        if insecureNoCSRF { texts.append("requests of other sites are permitted with cookies") }
        if appCheck != .off { texts.append("App Check: \(appCheck.rawValue)") }
        texts.append("revocation: \(revocation.rawValue)")
        if onStoreFailure == .allow { texts.append("permitted if the store is unavailable") }
        if !providers.isEmpty { texts.append("signed in with \(providers.joined(separator: ", "))") }
        if !scopes.isEmpty { texts.append("scopes \(scopes.joined(separator: ", "))") }
        if let recentSignIn { texts.append("a sign-in at most \(DurationText.write(recentSignIn)) ago") }
        if secondFactor { texts.append("a second factor") }
        if let allow { texts.append("allow if \(allow.text)") }
        return texts
    }

    private var limitTexts: [String] {
        rateLimits.map { limit in
            "at most \(limit.requests) requests in \(DurationText.write(limit.every)) per \(limit.per.rawValue)"
                + (limit.scope == .fleet ? ", at all gateways" : "")
        }
    }
}
