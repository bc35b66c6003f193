import DevelopmentIdentity
import GatewayCore

/// The output of the demo. All text except the requests is a comment for `sh`, so that any part can be pasted.
enum DemoText {
    static func introduction(_ demo: Demo) -> String {
        """
        # Open http://\(demo.address)/.gatehouse/ in a browser: sign in, reauthenticate, link and sign out, with the requests on the wire.
        #
        # Gatehouse's demo: a gateway, an identity provider and an echo service in this process. Ctrl-C ends it.
        #
        #   gateway            http://\(demo.address)
        #   admin API          http://\(demo.adminAddress)
        #   identity provider  http://127.0.0.1:\(demo.provider.port)
        #   echo service       \(demo.echo.url)
        #
        # Paste these lines into another terminal. The tokens are good for an hour.

        """
    }

    static func paragraph(_ call: DemoCall, number: Int) -> String {
        "# \(number). \(call.title): \(call.expectation)\n\(call.shellLine)\n"
    }

    /// Returns the final text. `program` is the path by which this program was called.
    static func farewell(_ demo: Demo, program: String) -> String {
        (othersFind(demo) ? more(program) : "") + "# Each request is logged below."
    }

    /// Returns whether other commands reach this demo with the default configuration.
    private static func othersFind(_ demo: Demo) -> Bool {
        demo.address.port == DemoPorts.gateway && demo.adminAddress.port == DemoPorts.admin
            && demo.provider.port == DemoPorts.provider && demo.echo.port == DemoPorts.echo
            && demo.keyDirectory != nil && DemoConfiguration.isAtHand
    }

    private static func more(_ program: String) -> String {
        let mint = "\(program) token mint"
        let configuration = "--config \(DemoConfiguration.file)"
        return """
            # Why a request is refused, what a token says, and a revocation by command:
            #   \(program) explain \(configuration) DELETE /v1/account --token "$(\(mint) --user ada --auth-time-ago 1h)"
            #   \(program) token inspect \(configuration) "$(\(mint) --user grace --expires-in=-5m)"
            #   \(program) revoke ada \(configuration)
            #

            """
    }
}
