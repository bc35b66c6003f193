internal import JOSE
internal import TextCoding

/// User and password of HTTP Basic authentication (RFC 7617).
struct BasicCredentials: Equatable {
    var user: String
    var password: String

    init(user: String, password: String) {
        self.user = user
        self.password = password
    }

    /// Returns `nil` unless the request has exactly one `Authorization` field, with the Basic scheme.
    init?(_ request: ReceivedRequest) {
        guard let token = request.authorization(scheme: "basic") else { return nil }
        let base64URL = token.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        guard let bytes = Base64URL.decode(String(base64URL)), let text = String(validating: bytes, as: UTF8.self),
            let colon = text.firstIndex(of: ":")
        else { return nil }
        user = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }

    /// The credentials of an OAuth client, form-decoded as in RFC 6749 section 2.3.1.
    var formDecoded: BasicCredentials? {
        guard let user = FormEncoding.decodedText(user.utf8),
            let password = FormEncoding.decodedText(password.utf8)
        else { return nil }
        return BasicCredentials(user: user, password: password)
    }
}

extension ReceivedRequest {
    /// Returns the value after a scheme in the only `Authorization` field.
    func authorization(scheme: String) -> String? {
        let values = values(of: "Authorization")
        guard values.count == 1, let space = values[0].firstIndex(of: " "),
            values[0][..<space].lowercased() == scheme
        else { return nil }
        return String(values[0][values[0].index(after: space)...])
    }

    /// The fields of the query. `nil` if the query is invalid.
    var query: FormFields? {
        FormFields(target.firstIndex(of: "?").map { target[target.index(after: $0)...] } ?? "")
    }
}
