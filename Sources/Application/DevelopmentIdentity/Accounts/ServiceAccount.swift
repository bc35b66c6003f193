public import JOSE

/// A service account that the development provider's token endpoint takes assertions of.
///
///     let account = try provider.makeServiceAccount()
///     try account.write(toDirectory: folder, name: "service-account.json")   // mode 0600
public struct ServiceAccount: Sendable {
    /// `client_email`.
    public let email: String
    /// `project_id`.
    public let project: String
    /// `private_key`, with `private_key_id` as its id.
    public let key: SigningKey
    /// `token_uri`.
    public let tokenURL: String

    /// The JSON text that the Google Cloud console hands out for a service account's key. It holds the private key.
    public var json: JSONObject {
        [
            "type": "service_account", "project_id": .string(project), "private_key_id": .string(key.keyID),
            "private_key": .string(String(decoding: key.pem(), as: UTF8.self)), "client_email": .string(email),
            "client_id": "100000000000000000001", "auth_uri": "https://accounts.google.com/o/oauth2/auth",
            "token_uri": .string(tokenURL),
            "auth_provider_x509_cert_url": "https://www.googleapis.com/oauth2/v1/certs",
            "universe_domain": "googleapis.com",
        ]
    }

    /// Writes the JSON text to a file of mode 0600, in place of one that exists; makes the directory where it is
    /// missing.
    ///
    /// - Returns: the file's path.
    /// - Throws: `keyFile` where the file cannot be written.
    @discardableResult
    public func write(
        toDirectory directory: String, name: String = "service-account.json"
    ) throws(DevelopmentIdentityError) -> String {
        let file = PrivateFile(directory: directory, name: name)
        try file.replace(with: json.text + "\n")
        return file.path
    }

    /// One key for the whole process: generating RSA keys is what tests wait for.
    static func sharedKey() throws(DevelopmentIdentityError) -> SigningKey {
        try DevelopmentIdentityError.wrapping { () throws(SigningKeyError) in try generatedOnce.get() }
    }

    private static let generatedOnce = Result { () throws(SigningKeyError) in
        try SigningKey.generate(.rs256, keyID: DevelopmentKeys.randomKeyID())
    }
}
