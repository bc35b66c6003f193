/// How reloads have ended so far.
package struct ReloadAccount: Sendable {
    package var accepted: UInt64 = 0
    package var refused: UInt64 = 0
    /// Why the last one was refused; nil: it was not.
    package var lastRefusal: String?

    package init() {}
}
