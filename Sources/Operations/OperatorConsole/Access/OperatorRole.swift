/// The permission of an operator.
package enum OperatorRole: String, Sendable {
    /// Reads everything and changes nothing: `admin.viewer_token`.
    case viewer
    /// Makes every call: `admin.token`.
    case `operator`
}
