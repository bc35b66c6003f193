import Foundation

/// Seconds since 1970.
func unixNow() -> Int64 { Int64(Date().timeIntervalSince1970) }
