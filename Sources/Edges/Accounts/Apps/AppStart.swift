/// The request of an app for a flow in the system browser (RFC 8252), which ends with a code for the app.
///
/// The browser has no session of the app, so that the flow changes none. It only proves an identity, which counts in a
/// call of the app: an address that an attacker sends to another user ends at that user's app, without the verifier.
struct AppStart: Sendable {
    /// The parameters beside `return_to`.
    static let parameters = ["code_challenge", "code_challenge_method", "purpose"]
    private static let expectedChallenge =
        "An app must send \"code_challenge\", the SHA-256 of a verifier in base64url, with"
        + " \"code_challenge_method\" as \"S256\"."
    private static let expectedPurpose =
        "Send \"purpose\" as \(FlowRecord.Purpose.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", "))."

    let returnTo: ReturnTarget
    let challenge: AppChallenge
    let purpose: FlowRecord.Purpose

    /// Reads the request. `nil` if `return_to` is not the URL of an app.
    init?(_ fields: FlowFields, _ targets: ReturnTargets) throws(AccountDenial) {
        guard let returnTo = fields["return_to"].flatMap({ targets.app($0) }) else { return nil }
        guard fields["code_challenge_method"].map({ $0.utf8.elementsEqual("S256".utf8) }) == true,
            let challenge = fields["code_challenge"].flatMap({ AppChallenge($0) })
        else { throw .malformed(Self.expectedChallenge) }
        guard let purpose = FlowRecord.Purpose(rawValue: fields["purpose"] ?? FlowRecord.Purpose.signIn.rawValue) else {
            throw .malformed(Self.expectedPurpose)
        }
        self.returnTo = returnTo
        self.challenge = challenge
        self.purpose = purpose
    }
}
