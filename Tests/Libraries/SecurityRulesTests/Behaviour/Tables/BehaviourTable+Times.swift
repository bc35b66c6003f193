extension BehaviourTable {
    static let times = BehaviourTable(
        #"""
        Timestamp.year
            true: $timestamp.year() == 2009
            false: $timestamp.year() == 2010
            fails: $int.year() == 2009; $duration.year() == 0
        Timestamp.month
            true: $timestamp.month() == 2
            false: $timestamp.month() == 1
            fails: $string.month() == 2
        Timestamp.day
            true: $timestamp.day() == 13
            false: $timestamp.day() == 12
            fails: $null.day() == 13
        Timestamp.hours
            true: $timestamp.hours() == 23
            false: $timestamp.hours() == 11
            fails: $duration.hours() == 0
        Timestamp.minutes
            true: $timestamp.minutes() == 31
            false: $timestamp.minutes() == 30
            fails: $int.minutes() == 31
        Timestamp.seconds
            true: $timestamp.seconds() == 30
            false: $timestamp.seconds() == 1234567890
            fails: $int.seconds() == 30
        Timestamp.nanos
            true: $timestamp.nanos() == 500000000; timestamp.value(-1).nanos() == 999000000
            false: $timestamp.nanos() == 500
            fails: $float.nanos() == 0
        Timestamp.dayOfWeek
            true: $timestamp.dayOfWeek() == 5; timestamp.date(2026, 11, 22).dayOfWeek() == 7
            true: timestamp.date(2026, 11, 23).dayOfWeek() == 1
            false: $timestamp.dayOfWeek() == 6
            fails: $int.dayOfWeek() == 5
        Timestamp.dayOfYear
            true: $timestamp.dayOfYear() == 44; timestamp.date(2024, 12, 31).dayOfYear() == 366
            false: $timestamp.dayOfYear() == 43
            fails: $int.dayOfYear() == 44
        Timestamp.date
            true: $timestamp.date() == timestamp.date(2009, 2, 13)
            false: $timestamp.date() == $timestamp
            fails: $duration.date() == $timestamp
        Timestamp.time
            true: $timestamp.time() == duration.time(23, 31, 30, 500000000)
            true: timestamp.date(2009, 2, 13).time() == duration.value(0, 's')
            false: $timestamp.time() == duration.value(0, 's')
            fails: $int.time() == duration.value(0, 's')
        Timestamp.toMillis
            true: $timestamp.toMillis() == 1234567890500; timestamp.value(-1500).toMillis() == -1500
            false: $timestamp.toMillis() == 1234567890
            fails: $duration.toMillis() == 90500
        timestamp.date
            true: timestamp.date(2009, 2, 13) == $timestamp.date(); timestamp.date(2024, 2, 29).day() == 29
            false: timestamp.date(2009, 2, 13) == $timestamp
            refused: timestamp.date($int, 13, 1).year() == 7
            fails: timestamp.date(2023, 2, $int + 22).day() == 1
            refused: timestamp.date(2023, 2, 29).day() == 1; timestamp.date(10000, 1, 1).year() == 10000
            fails: timestamp.date($string, 1, 1).year() == 0
            refused: timestamp.date(2009, 2).year() == 2009
        timestamp.value
            true: timestamp.value(0) == timestamp.date(1970, 1, 1); timestamp.value(-1) < timestamp.value(0)
            false: timestamp.value(0) == timestamp.value(1)
            fails: timestamp.value($max).year() == 0; timestamp.value($float).year() == 1970
            refused: timestamp.value('2009-02-13').year() == 2009
        Duration.seconds
            true: $duration.seconds() == 90; duration.value(-1500, 'ms').seconds() == -1
            false: $duration.seconds() == 30
            fails: $int.seconds() == 7
        Duration.nanos
            true: $duration.nanos() == 500000000; duration.value(-1500, 'ms').nanos() == -500000000
            false: $duration.nanos() == 0
            fails: $string.nanos() == 0
        duration.value
            true: duration.value(1, 'w') == duration.value(7, 'd'); duration.value(1, 'd') == duration.value(24, 'h')
            true: duration.value(1, 'h') == duration.value(60, 'm')
            true: duration.value(1, 's') == duration.value(1000, 'ms')
            true: duration.value(1, 's') == duration.value(1000000000, 'ns')
            false: duration.value(1, 'm') == duration.value(1, 'ms')
            fails: duration.value(1, $string) == $duration; duration.value($float, 's') == $duration
            fails: duration.value($max, 'w') > $duration
            refused: duration.value(1, 'y') == $duration; duration.value(1) == $duration
        duration.time
            true: duration.time(0, 1, 30, 500000000) == $duration; duration.time(1, 0, 0, 0) == duration.value(1, 'h')
            false: duration.time(0, 0, 1, 0) == duration.value(1, 'm')
            fails: duration.time($max, 0, 0, 0) > $duration; duration.time($string, 0, 0, 0) == $duration
            refused: duration.time(1, 2, 3) == $duration
        duration.abs
            true: duration.abs(duration.value(-1, 's')) == duration.value(1, 's')
            true: duration.abs($duration) == $duration
            false: duration.abs(duration.value(-1, 's')) == duration.value(-1, 's')
            fails: duration.abs($int) == $duration
            refused: duration.abs(1) == $duration
        """#)
}
