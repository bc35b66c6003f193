import GatewayCore

extension ConfigurationValue {
    /// `HOST:PORT` or `unix:/PATH` to listen on.
    func listenAddress() -> ListenAddress? {
        guard let text = string(atMost: 320) else { return nil }
        do {
            return try ListenAddress(parsing: text)
        } catch {
            return fail("\(name) is \(error.what)", error.remedy)
        }
    }

    /// `HOST:PORT` alone.
    func portAddress() -> ListenAddress? {
        guard let address = listenAddress() else { return nil }
        guard address.path == nil else { return fail("\(name) is a unix: address", "write HOST:PORT") }
        return address
    }
}
