extension DevelopmentKeys {
    /// The name of the key file.
    public static let fileName = "development-keys.pem"

    /// Loads the keys of a directory. Creates the directory (mode 0700) and the keys if they do not exist.
    ///
    /// If several processes create them concurrently, one wins and the others load its keys.
    ///
    /// - Throws: `keyFile` if the file cannot be read or written, is not ours, or is readable by others than the owner.
    ///   `keys` if libcrypto creates none.
    public static func load(orCreateIn directory: String) throws(DevelopmentIdentityError) -> DevelopmentKeys {
        let file = PrivateFile(directory: directory, name: fileName)
        if let text = try file.text() { return try parse(text, of: file) }
        try file.create(DevelopmentIdentityError.wrapping(generate).fileText)
        guard let text = try file.text() else {
            throw DevelopmentIdentityError(.keyFile, "\(file.path) vanished while it was made")
        }
        return try parse(text, of: file)
    }

    /// Writes the keys to a directory, replacing existing ones.
    ///
    /// - Throws: `keyFile` if the file cannot be written.
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
