import ArgumentParser
import GatewayCore

/// A duration as in configurations, for example `10m`. A leading `-` makes it negative.
struct DurationOption: ExpressibleByArgument {
    let seconds: Int64

    init(seconds: Int64) {
        self.seconds = seconds
    }

    /// Accepts at most a hundred years.
    init?(argument: String) {
        let isNegative = argument.hasPrefix("-")
        guard let duration = DurationText.parse(String(isNegative ? argument.dropFirst() : argument[...])),
            duration <= .seconds(3_155_760_000)
        else { return nil }
        seconds = duration.components.seconds * (isNegative ? -1 : 1)
    }

    var defaultValueDescription: String { "\(seconds)s" }
}
