#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The resources that the process uses, as the operating system reports them.
package struct ProcessUsage: Sendable, Equatable {
    /// Processor time in user and system mode, in seconds.
    var cpuSeconds: Double
    /// Memory in bytes.
    package var residentBytes: Double
    var virtualBytes: Double
    /// The start of the process, in seconds since 1970.
    var startTime: Double
    /// Open file descriptors, and their limit.
    var openDescriptors = 0.0, descriptorLimit = 0.0

    /// Units of the fields of `/proc/PID/stat`.
    struct Units {
        var ticksPerSecond, pageSize: Double
        /// The start of the system, in seconds since 1970.
        var bootTime: Double
    }

    /// Parses `/proc/PID/stat` (proc_pid_stat(5)). `nil` if the text has another format.
    init?(stat: String, units: Units) {
        // The name of the program, in parentheses, may contain any character.
        guard let nameEnd = stat.lastIndex(of: ")") else { return nil }
        let fields = stat[nameEnd...].split(separator: " ").dropFirst().map { Double($0) }
        // Fields 14, 15, 22, 23 and 24; the first of `fields` is field 3.
        guard fields.count > 21, let user = fields[11], let system = fields[12], let start = fields[19],
            let virtual = fields[20], let pages = fields[21]
        else { return nil }
        cpuSeconds = (user + system) / units.ticksPerSecond
        startTime = units.bootTime + start / units.ticksPerSecond
        virtualBytes = virtual
        residentBytes = pages * units.pageSize
    }

    #if os(Linux)
        private static let units: Units = {
            func seconds(_ clock: clockid_t) -> Double {
                var time = timespec()
                clock_gettime(clock, &time)
                return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
            }
            return Units(
                ticksPerSecond: Double(sysconf(Int32(_SC_CLK_TCK))), pageSize: Double(sysconf(Int32(_SC_PAGESIZE))),
                bootTime: seconds(CLOCK_REALTIME) - seconds(CLOCK_BOOTTIME))
        }()

        /// Returns the usage of this process. `nil` if it cannot be read.
        package static func current() -> ProcessUsage? {
            guard var usage = read("/proc/self/stat").flatMap({ ProcessUsage(stat: $0, units: units) }) else {
                return nil
            }
            usage.openDescriptors = Double(entries(of: "/proc/self/fd"))
            var limit = rlimit()
            #if canImport(Glibc)
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            #else
                getrlimit(RLIMIT_NOFILE, &limit)
            #endif
            usage.descriptorLimit = Double(limit.rlim_cur)
            return usage
        }

        /// Returns the content of a file of at most 4 KiB.
        private static func read(_ path: String) -> String? {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            defer { close(descriptor) }
            return withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
                #if canImport(Glibc)
                    let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                #else
                    let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
                #endif
                return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
            }
        }

        /// Returns the number of entries of a directory, without the descriptor that reads it.
        private static func entries(of path: String) -> Int {
            guard let directory = opendir(path) else { return 0 }
            defer { closedir(directory) }
            var count = 0
            while readdir(directory) != nil { count += 1 }
            // `.`, `..` and the descriptor of `directory`.
            return max(0, count - 3)
        }
    #else
        /// Returns `nil`: this system has no `/proc`.
        package static func current() -> ProcessUsage? { nil }
    #endif
}

extension GatewayReadings {
    /// The build of the program, and the metrics of a process as the client libraries of Prometheus name them.
    var usageFamilies: [MetricFamily] {
        let build = MetricFamily(
            "gatehouse_build_info", help: "1, with the version, the commit and the compiler of the program.",
            .gauges([
                MetricSample(
                    [
                        ("version", version), ("commit", BuildInfo.commit ?? "unknown"),
                        ("swift", BuildInfo.swiftVersion),
                    ], 1)
            ]))
        guard let usage else { return [build] }
        return [
            build,
            MetricFamily(
                "process_cpu_seconds_total", help: "Processor time in user and system mode, in seconds.",
                .amounts([MetricSample([], usage.cpuSeconds)])),
            processGauge("process_resident_memory_bytes", help: "Resident memory in bytes.", usage.residentBytes),
            processGauge("process_virtual_memory_bytes", help: "Virtual memory in bytes.", usage.virtualBytes),
            processGauge("process_open_fds", help: "Open file descriptors.", usage.openDescriptors),
            processGauge("process_max_fds", help: "Maximum number of open file descriptors.", usage.descriptorLimit),
            processGauge(
                "process_start_time_seconds", help: "Start time of the process, in seconds since 1970.",
                usage.startTime),
        ]
    }

    private func processGauge(_ name: StaticString, help: StaticString, _ value: Double) -> MetricFamily {
        MetricFamily(name, help: help, .gauges([MetricSample([], value)]))
    }
}
