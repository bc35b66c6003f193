import GatewayCore

extension AdminDocument {
    /// Returns what the last reload changed. `last` is null before one.
    static func differences(_ differences: ReloadDifferences?) -> AdminResponse {
        .json(
            ObjectText.object { body in
                body.add("last", orNull: differences) { last, output in
                    output.add("at", last.at)
                    output.add("generation", Int64(clamping: last.generation))
                    output.add("sampled", Int64(last.sampled))
                    output.add("compared", Int64(last.compared))
                    output.add("undecided", Int64(last.undecided))
                    output.add("changes", last.changes) { change, output in
                        output.add("method", change.method)
                        output.add("count", Int64(change.count))
                        for (name, outcome) in [("before", change.before), ("after", change.after)] {
                            output.add(name, orNull: Optional(outcome)) { outcome, output in
                                output.add("route", orNull: outcome.route)
                                output.add("code", outcome.code)
                            }
                        }
                    }
                    output.add("omitted", Int64(last.omitted))
                }
            })
    }
}
