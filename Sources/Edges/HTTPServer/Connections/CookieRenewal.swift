/// The renewal of the session cookie with the response to a request whose cookie is due.
package final class CookieRenewal {
    /// The names under which the cookie is set or cleared.
    package let names: [String]
    private let makeLines: () -> [UInt8]?

    package init(names: [String], makeLines: @escaping () -> [UInt8]?) {
        self.names = names
        self.makeLines = makeLines
    }

    /// Makes the cookie and returns its field lines. `nil` if it is not renewed now.
    package func lines() -> [UInt8]? { makeLines() }
}
