import DevelopmentIdentity
import GatewayCore

/// The output of the demo. All text except the commands is a comment for `sh`, so that any part can be pasted.
enum DemoText {
    static func introduction(_ demo: Demo, _ file: DemoShellFile) -> String {
        """
        # Open http://\(demo.address)/ in a browser, or paste the lines below into another terminal. Ctrl-C ends the demo.
        #\(demo.isInContainer ? container(demo) : "")
        #   gateway            http://\(demo.address)
        #   admin API          \(demo.adminURL), console at /console/ with the token \(demo.adminToken)
        #   identity provider  http://127.0.0.1:\(demo.provider.port)
        #   echo service       \(demo.echo.url)
        #
        # This line defines the tokens of the other lines, for one hour:
        \(file.loading)

        """
    }

    private static func container(_ demo: Demo) -> String {
        let ports = [demo.address.port, demo.adminAddress.port].map { "-p 127.0.0.1:\($0):\($0)" }
        return """

            # The container needs the published port \(ports[0]), and \(ports[1]) for the admin API.
            # Every client that reaches the ports can sign in as any user: publish them on 127.0.0.1 only.
            #
            """
    }

    /// Returns the requests: a comment and a command each, and an empty line after each group.
    static func requests(_ calls: DemoCalls) -> String {
        var number = 0
        return calls.groups.map { group in
            group.map { call in
                number += 1
                return "# \(number). \(call.title): \(call.expectation)\n\(call.shellLine)\n"
            }.joined()
        }.joined(separator: "\n")
    }

    /// Returns the final text. `program` is the path by which this program was called.
    static func farewell(_ demo: Demo, program: String) -> String {
        (othersFind(demo) ? more(program) : "") + "# Each request is logged below."
    }

    /// Returns whether other commands reach this demo with the default configuration.
    private static func othersFind(_ demo: Demo) -> Bool {
        demo.address.port == Int(DemoPorts.gateway) && demo.adminAddress.port == Int(DemoPorts.admin)
            && demo.provider.port == Int(DemoPorts.provider) && demo.echo.port == Int(DemoPorts.echo)
            && DemoConfiguration.isAtHand
    }

    private static func more(_ program: String) -> String {
        let configuration = "--config \(DemoConfiguration.file)"
        return """
            # Why a request is denied, the content of a token, and a revocation by command:
            #   \(program) explain \(configuration) DELETE /v1/account --token "$ADA"
            #   \(program) token inspect \(configuration) "$ADA_EXPIRED"
            #   \(program) revoke ada \(configuration)
            #

            """
    }

    /// Returns the demo as one line of JSON, for scripts.
    static func json(_ demo: Demo, _ tokens: DemoTokens, _ file: DemoShellFile, _ calls: DemoCalls) -> String {
        var values = JSONObject()
        for token in tokens.all { values.append(token.name, .string(token.value)) }
        let port = { (address: ListenAddress) in JSON.integer(Int64(address.port)) }
        let object: JSON = [
            "page": "http://\(demo.address)/", "gateway": "http://\(demo.address)",
            "admin": .string(demo.adminURL), "provider": "http://127.0.0.1:\(demo.provider.port)",
            "mint": .string(demo.mintURL), "echo": .string(demo.echo.url),
            "ports": [
                "gateway": port(demo.address), "admin": port(demo.adminAddress),
                "provider": .integer(Int64(demo.provider.port)), "echo": .integer(Int64(demo.echo.port)),
            ],
            "tokens": .object(values), "load": .string(file.loading), "commands": .array(calls.all.map(command)),
        ]
        return object.text
    }

    private static func command(_ call: DemoCall) -> JSON {
        [
            "title": .string(call.title), "command": .string(call.shellLine), "status": .integer(Int64(call.status)),
            "code": call.code.map(JSON.string) ?? nil,
        ]
    }
}
