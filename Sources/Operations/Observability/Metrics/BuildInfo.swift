import CBuildInfo

/// The build of the program.
enum BuildInfo {
    /// The commit that the program was built from: `GATEHOUSE_COMMIT` in the environment of the build. `nil` if unset.
    static var commit: String? {
        let commit = String(cString: build_info_commit())
        return commit.isEmpty ? nil : commit
    }

    /// The major and minor version of the compiler.
    static var swiftVersion: String {
        #if compiler(>=6.4)
            "6.4 or later"
        #elseif compiler(>=6.3)
            "6.3"
        #else
            "6.2"
        #endif
    }
}
