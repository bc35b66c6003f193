import GatewayCore

/// The keys and the region of an identity at AWS in environment variables, as AWS's own programs read them.
enum AWSEnvironment {
    /// Returns the keys. `nil` without variables of keys.
    static func keys(_ environment: [String: String]) throws(ServiceAccount.Failure) -> AWSKeys? {
        guard let id = environment["AWS_ACCESS_KEY_ID"], !id.isEmpty,
            let secret = environment["AWS_SECRET_ACCESS_KEY"], !secret.isEmpty
        else { return nil }
        let token = environment["AWS_SESSION_TOKEN"] ?? ""
        guard let keys = AWSKeys(id: id, secret: secret, sessionToken: token.isEmpty ? nil : token) else {
            throw ServiceAccount.Failure(
                description: "AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY or AWS_SESSION_TOKEN is invalid")
        }
        return keys
    }

    /// Returns the region. `nil` without variables of a region.
    static func region(_ environment: [String: String]) throws(ServiceAccount.Failure) -> String? {
        for variable in ["AWS_REGION", "AWS_DEFAULT_REGION"] {
            guard let text = environment[variable], !text.isEmpty else { continue }
            guard let region = AWSMetadata.region(in: Array(text.utf8)), region == text else {
                throw ServiceAccount.Failure(description: "the environment variable \(variable) is not a region")
            }
            return region
        }
        return nil
    }
}
