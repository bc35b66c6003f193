/// The version of the program.
package enum GatehouseVersion {
    /// The version of this source, as `gatehouse --version` prints it.
    package static let current = "0.1.0"
}
