import Accounts
import GatewayConfiguration
import GatewayCore

/// A reader of the sign-in page's files. It reports errors at their settings, or in the translations file.
struct SignInPageReader {
    private typealias File = Configuration.Accounts.Page.File

    /// The maximum sizes of a style sheet and of an image, in bytes.
    private static let styleLimit = 65_536
    private static let logoLimit = 262_144

    private(set) var errors: [ConfigurationError] = []

    /// Reads the page. `nil` if one of its files is unreadable or invalid; ``errors`` contains the reasons.
    ///
    /// - Parameters:
    ///   - origin: The gateway's public origin.
    ///   - providers: The IDs of the providers with an authorization-code flow.
    mutating func read(_ page: Configuration.Accounts.Page, origin: String, providers: [String]) -> SignInPage? {
        let style = page.style.map { readStyle($0) }
        let logo = page.logo.map { readLogo($0) }
        let texts = readTexts(page.translations)
        guard errors.isEmpty, let texts else { return nil }
        return SignInPage(
            origin: origin, title: page.title, providers: providers, texts: texts, style: (style ?? nil) ?? [],
            logo: logo ?? nil)
    }

    private mutating func readStyle(_ file: File) -> [UInt8]? {
        guard let bytes = bytes(of: file, atMost: Self.styleLimit, "64 KiB") else { return nil }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            fail(file, "is not valid UTF-8", "save the file as UTF-8")
            return nil
        }
        return bytes
    }

    private mutating func readLogo(_ file: File) -> [UInt8]? {
        guard let bytes = bytes(of: file, atMost: Self.logoLimit, "256 KiB") else { return nil }
        guard PageAsset.imageType(of: bytes) != nil else {
            fail(file, "is neither SVG nor PNG", "convert it to one of them")
            return nil
        }
        return bytes
    }

    /// Returns the built-in texts with those of a file. `nil` if the file is invalid.
    private mutating func readTexts(_ file: File?) -> PageTexts? {
        do throws(ConfigurationErrors) {
            guard let file else { return try PageTexts(nil) }
            guard let bytes = bytes(of: file, atMost: PageTranslations.maximumSize, "256 KiB") else { return nil }
            return try PageTexts(try PageTranslations(bytes, file: file.path))
        } catch {
            errors += error.errors
            return nil
        }
    }

    private mutating func bytes(of file: File, atMost limit: Int, _ size: String) -> [UInt8]? {
        do throws(BoundedFile.Failure) {
            return try BoundedFile.read(file.path, atMost: limit)
        } catch {
            switch error {
            case .unreadable(let reason):
                fail(file, "cannot be read (\(reason))", "paths are relative to the folder of the configuration file")
            case .tooLarge: fail(file, "is larger than \(size)", "make it smaller")
            }
            return nil
        }
    }

    private mutating func fail(_ file: File, _ why: String, _ remedy: String) {
        errors.append(
            ConfigurationError(
                location: file.location, what: "the file \(Quoted(file.path)) of accounts.page \(why)", remedy: remedy))
    }
}
