/// The version of the program.
package enum GatehouseVersion {
    /// The version of this source (Semantic Versioning 2.0.0), which `--version`, the metrics and the admin API report.
    ///
    /// This is its only place: `script/version` reads this line.
    package static let current = "0.1.0"
}
