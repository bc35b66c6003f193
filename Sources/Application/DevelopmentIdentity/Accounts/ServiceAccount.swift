public import JOSE

/// A service account whose assertions the development provider's token endpoint accepts.
///
///     let account = try provider.makeServiceAccount()
///     try account.write(toDirectory: folder, name: "service-account.json")   // mode 0600
public struct ServiceAccount: Sendable {
    /// `client_email`.
    public let email: String
    /// `project_id`.
    public let project: String
    /// `private_key`, with `private_key_id` as its ID.
    public let key: SigningKey
    /// `token_uri`.
    public let tokenURL: String

    /// The JSON key file of the Google Cloud console. It contains the private key.
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

    /// Writes the JSON text to a file of mode 0600, replacing an existing one, and creates the directory if necessary.
    ///
    /// - Returns: The file's path.
    /// - Throws: `keyFile` if the file cannot be written.
    @discardableResult
    public func write(
        toDirectory directory: String, name: String = "service-account.json"
    ) throws(DevelopmentIdentityError) -> String {
        let file = PrivateFile(directory: directory, name: name)
        try file.replace(with: json.text + "\n")
        return file.path
    }

    /// Returns one key for the whole process, because generating RSA keys is slow.
    static func sharedKey() throws(DevelopmentIdentityError) -> SigningKey {
        try DevelopmentIdentityError.wrapping { () throws(SigningKeyError) in try generatedOnce.get() }
    }

    private static let generatedOnce = Result { () throws(SigningKeyError) in
        try SigningKey.generate(.rs256, keyID: DevelopmentKeys.randomKeyID())
    }
}
