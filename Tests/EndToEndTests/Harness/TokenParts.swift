import DevelopmentIdentity
import Foundation

/// The `kid` in a token's header, as anybody can read it.
func keyIdentifier(of token: String) -> String? {
    var text = String(token.prefix { $0 != "." }).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    guard let header = Data(base64Encoded: text), case .string(let id)? = JSON(parsing: Array(header))?["kid"] else {
        return nil
    }
    return id
}
