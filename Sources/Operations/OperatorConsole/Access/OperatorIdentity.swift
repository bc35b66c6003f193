/// The identity of an operator who signed in at a provider.
package struct OperatorIdentity: Sendable, Equatable {
    /// The ID of the provider.
    package let provider: String
    /// The user at the provider.
    package let subject: String
    /// The address that the provider proves, normalized.
    package let address: String

    package init(provider: String, subject: String, address: String) {
        self.provider = provider
        self.subject = subject
        self.address = address
    }
}
