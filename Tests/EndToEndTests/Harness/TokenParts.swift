import DevelopmentIdentity
import Foundation

/// The `kid` in the header of a token, without verification.
func keyIdentifier(of token: String) -> String? {
    guard case .string(let id)? = part(0, of: token)?["kid"] else { return nil }
    return id
}

/// The claims of a token, without verification.
func claims(of token: String) -> JSON? { part(1, of: token) }

private func part(_ index: Int, of token: String) -> JSON? {
    let parts = token.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.indices.contains(index) else { return nil }
    var text = String(parts[index]).replacing("-", with: "+").replacing("_", with: "/")
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: text).flatMap { JSON(parsing: Array($0)) }
}

/// Seconds since 1970.
func unixNow() -> Int64 { Int64(Date().timeIntervalSince1970) }
