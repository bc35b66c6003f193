import GatewayCore
import OperatorConsole

extension AdminDocument {
    /// Returns the session of the console, without its identifier.
    static func consoleSession(_ session: ConsoleSessions.Session) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("role", session.role.rawValue)
                body.add("name", orNull: session.name)
                body.add("csrf_token", session.csrfToken)
                body.add("email", orNull: session.identity?.address)
            })
    }

    static let signedOut = AdminResponse.json(ObjectText.object { $0.add("signed_out", true) })
}
