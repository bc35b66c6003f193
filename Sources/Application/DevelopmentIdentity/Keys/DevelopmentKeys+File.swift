extension DevelopmentKeys {
    /// The file's name in its directory.
    public static let fileName = "development-keys.pem"

    /// Reads the keys of a directory; makes the directory (mode 0700) and the keys where there are none.
    ///
    /// Of several processes that make them at once one wins and the others read its keys.
    ///
    /// - Throws: `keyFile` where the file cannot be read or written, is not ours, or where others than the owner may read
    ///   it; `keys` where libcrypto makes none.
    public static func load(orCreateIn directory: String) throws(DevelopmentIdentityError) -> DevelopmentKeys {
        let file = PrivateFile(directory: directory, name: fileName)
        if let text = try file.text() { return try parse(text, of: file) }
        try file.create(DevelopmentIdentityError.wrapping(generate).fileText)
        guard let text = try file.text() else {
            throw DevelopmentIdentityError(.keyFile, "\(file.path) vanished while it was made")
        }
        return try parse(text, of: file)
    }

    /// Writes the keys to a directory, in place of those that are there.
    ///
    /// - Throws: `keyFile` where the file cannot be written.
    public func save(in directory: String) throws(DevelopmentIdentityError) {
        try PrivateFile(directory: directory, name: Self.fileName).replace(with: fileText)
    }

    private static func parse(
        _ text: String, of file: PrivateFile
    ) throws(DevelopmentIdentityError) -> DevelopmentKeys {
        do throws(DevelopmentIdentityError) {
            return try DevelopmentKeys(fileText: text)
        } catch {
            throw DevelopmentIdentityError(.keyFile, "\(file.path): \(error.description)")
        }
    }
}
