import GatewayCore
import JOSE

/// The mark of an error in the address of the sign-in page: a flow of this browser ended with it within five minutes.
///
/// Without it, any page could link to the sign-in page with an error of its choice. The mark is sealed with a session
/// key and bound to the error and to the browser's binding cookie, so that it needs no state.
enum ErrorMark {
    /// The name of the parameter.
    static let parameter = "error_mark"
    /// The lifetime, in seconds.
    private static let lifetime: Int64 = 300
    private static let maximumSize = 256

    /// Creates a mark. `nil` if libcrypto fails.
    static func make(_ error: String, for binding: BrowserBinding, keys: SessionKeys, now: Int64) -> String? {
        let expires = UnixTime(clamping: now).adding(lifetime)
        let sealed = keys.sealing.first?.seal(Array("\(expires)".utf8), context: context(error, binding))
        return sealed.map { Base64URL.encode($0) }
    }

    /// Returns whether a mark is that of an error of a flow with one of the bindings.
    static func isValid(
        _ mark: String, of error: String, for bindings: [BrowserBinding], keys: SessionKeys, now: Int64
    ) -> Bool {
        guard mark.utf8.count <= maximumSize, let sealed = Base64URL.decode(mark) else { return false }
        for binding in bindings.prefix(BrowserBinding.maximumTried) {
            for key in keys.sealing {
                guard let bytes = key.open(sealed, context: context(error, binding)) else { continue }
                let expires = Int64(String(decoding: bytes, as: UTF8.self))
                return expires.map { now < $0 } ?? false
            }
        }
        return false
    }

    /// The data to which a mark is bound. Values of flows are bound to two hashes and their kind instead.
    private static func context(_ error: String, _ binding: BrowserBinding) -> [UInt8] {
        Array("error:\(binding.value):\(error)".utf8)
    }
}
