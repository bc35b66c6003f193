package import Authentication
package import JOSE

/// What became of looking for the key that a token names, once no waiting is left to do.
package enum KeyLookupResult: Sendable {
    /// The key, and the view of its set that has it: the verdict on the signature needs both.
    case key(PublicKey, KeySetView)
    /// The source has no such key: the token is invalid.
    case unknown
    /// The source cannot be asked, or did not answer in time; `Retry-After` in seconds, at least 1.
    case unavailable(retryAfter: Int)
}

/// The keys of tokens, for those who may wait for them: off the request path.
package protocol KeyWaiting: Sendable {
    /// What is known of a set now: enough for the checks before the signature.
    func view(of set: Int) -> KeySetView

    /// The key with this id in a set, waited for while its source is being asked, at most `KeySetView.patience`.
    func key(kid: String, set: Int) async -> KeyLookupResult
}
