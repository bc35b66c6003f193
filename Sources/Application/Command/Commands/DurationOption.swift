import ArgumentParser
import GatewayCore

/// A duration as configurations write it, such as `10m`; a `-` before it makes it negative.
struct DurationOption: ExpressibleByArgument {
    let seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    /// At most a hundred years.
    init?(argument: String) {
        let isNegative = argument.hasPrefix("-")
        guard let duration = DurationText.parse(String(isNegative ? argument.dropFirst() : argument[...])),
            duration <= .seconds(3_155_760_000)
        else { return nil }
        seconds = duration.components.seconds * (isNegative ? -1 : 1)
    }

    var defaultValueDescription: String { "\(seconds)s" }
}
