/// Serves the calls of providers' servers, which tell of their users.
package protocol EventServing: Sendable {
    func serve(_ call: AccountCall) async -> AccountReply
}
