import DevelopmentIdentity
import Foundation
import GatewayCore

/// A file of the shell commands that define the variables and the function of the printed requests. Only its owner may
/// read it. It exists while the demo runs.
struct DemoShellFile {
    /// The definitions, for `sh`.
    let text: String
    /// `nil` if the file could not be written.
    let path: String?

    /// Writes `demo-PORT.sh` to the state directory, with the gateway's port. If that fails, reports the reason. In a
    /// container it writes no file, because the user's shell is outside of the container.
    init(_ demo: Demo, _ tokens: DemoTokens) {
        let exports = tokens.all.map { "export \($0.name)=\(ShellWord.quoted($0.value))\n" }.joined()
        let mint = ShellWord.quoted(demo.mintURL)
        text = """
            # Tokens of the Gatehouse demo at http://\(demo.address), for one hour after its start.
            \(exports)# Prints an ID token of a user who signs in at this moment: sign_in USER
            sign_in() { curl -s -d "{\\"user\\":\\"$1\\"}" \(mint) | sed 's/.*"token":"\\([^"]*\\)".*/\\1/'; }

            """
        guard !demo.isInContainer else {
            path = nil
            return
        }
        let file = PrivateFile(directory: DevelopmentState.directory(), name: "demo-\(demo.address.port).sh")
        do throws(DevelopmentIdentityError) {
            try file.replace(with: text)
            path = file.path
        } catch {
            Console.complain("\(error); the demo prints the tokens instead")
            path = nil
        }
    }

    /// The shell command that reads the definitions: `. FILE`, or the definitions if there is no file.
    var loading: String { path.map { ". \(ShellWord.quoted($0))" } ?? text }

    func remove() {
        if let path { try? FileManager.default.removeItem(atPath: path) }
    }
}
