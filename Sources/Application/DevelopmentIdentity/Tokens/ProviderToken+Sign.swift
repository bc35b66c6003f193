extension ProviderToken {
    /// The token signed with its provider's key of a directory; keys are made there where there are none.
    ///
    /// A ``DevelopmentProvider`` of that `keyDirectory` publishes the same ones.
    ///
    /// - Throws: `keyFile` and `keys`, as ``DevelopmentKeys/load(orCreateIn:)``.
    public func signed(byKeysIn directory: String) throws(DevelopmentIdentityError) -> String {
        try IdentityKeyring(directory: directory).sign(self)
    }
}
