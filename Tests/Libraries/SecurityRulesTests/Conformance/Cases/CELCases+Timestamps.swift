extension CELCases {
    static let timestamps = CELCases(
        file: "timestamps",
        rows: #"""
            [timestamp_conversions]
            toInt_timestamp: int(timestamp('2009-02-13T23:31:30Z')) => 1234567890
            toString_timestamp: string(timestamp('2009-02-13T23:31:30Z')) => '2009-02-13T23:31:30Z'
            toString_timestamp_nanos: string(timestamp('9999-12-31T23:59:59.999999999Z')) => '9999-12-31T23:59:59.999999999Z'
            toType_timestamp: type(timestamp('2009-02-13T23:31:30Z')) => type
            [duration_conversions]
            toString_duration: string(duration('1000000s')) => '1000000s'
            toType_duration: type(duration('1000000s')) => type
            [timestamp_selectors]
            getDate: timestamp('2009-02-13T23:31:30Z').getDate() => 13
            getDayOfMonth: timestamp('2009-02-13T23:31:30Z').getDayOfMonth() => 12
            getDayOfWeek: timestamp('2009-02-13T23:31:30Z').getDayOfWeek() => 5
            getDayOfYear: timestamp('2009-02-13T23:31:30Z').getDayOfYear() => 43
            getFullYear: timestamp('2009-02-13T23:31:30Z').getFullYear() => 2009
            getHours: timestamp('2009-02-13T23:31:30Z').getHours() => 23
            getMilliseconds: timestamp('2009-02-13T23:31:20.123456789Z').getMilliseconds() => 123
            getMinutes: timestamp('2009-02-13T23:31:30Z').getMinutes() => 31
            getMonth: timestamp('2009-02-13T23:31:30Z').getMonth() => 1
            getSeconds: timestamp('2009-02-13T23:31:30Z').getSeconds() => 30
            [timestamp_selectors_tz]
            getDate: timestamp('2009-02-13T23:31:30Z').getDate('Australia/Sydney') => 14
            getDayOfMonth_name_pos: timestamp('2009-02-13T23:31:30Z').getDayOfMonth('US/Central') => 12
            getDayOfMonth_numerical_pos: timestamp('2009-02-13T23:31:30Z').getDayOfMonth('+11:00') => 13
            getDayOfMonth_numerical_neg: timestamp('2009-02-13T02:00:00Z').getDayOfMonth('-02:30') => 11
            getDayOfMonth_name_neg: timestamp('2009-02-13T02:00:00Z').getDayOfMonth('America/St_Johns') => 11
            getDayOfWeek: timestamp('2009-02-13T23:31:30Z').getDayOfWeek('UTC') => 5
            getDayOfYear: timestamp('2009-02-13T23:31:30Z').getDayOfYear('US/Central') => 43
            getFullYear: timestamp('2009-02-13T23:31:30Z').getFullYear('-09:30') => 2009
            getHours: timestamp('2009-02-13T23:31:30Z').getHours('02:00') => 1
            getMinutes: timestamp('2009-02-13T23:31:30Z').getMinutes('Asia/Kathmandu') => 16
            getMonth: timestamp('2009-02-13T23:31:30Z').getMonth('UTC') => 1
            getSeconds: timestamp('2009-02-13T23:31:30Z').getSeconds('-00:00') => 30
            [timestamp_equality]
            eq_same: timestamp('2009-02-13T23:31:30Z') == timestamp('2009-02-13T23:31:30Z') => true
            eq_diff: timestamp('2009-02-13T23:31:29Z') == timestamp('2009-02-13T23:31:30Z') => false
            neq_same: timestamp('1945-05-07T02:41:00Z') != timestamp('1945-05-07T02:41:00Z') => false
            neq_diff: timestamp('2000-01-01T00:00:00Z') != timestamp('2001-01-01T00:00:00Z') => true
            [duration_equality]
            eq_same: duration('123s') == duration('123s') => true
            eq_diff: duration('60s') == duration('3600s') => false
            neq_same: duration('604800s') != duration('604800s') => false
            neq_diff: duration('86400s') != duration('86164s') => true
            [timestamp_arithmetic]
            add_duration_to_time: timestamp('2009-02-13T23:00:00Z') + duration('240s') == timestamp('2009-02-13T23:04:00Z') => true
            add_time_to_duration: duration('120s') + timestamp('2009-02-13T23:01:00Z') == timestamp('2009-02-13T23:03:00Z') => true
            add_duration_to_duration: duration('600s') + duration('50s') == duration('650s') => true
            add_time_to_duration_nanos_negative: timestamp('0001-01-01T00:00:01.000000001Z') + duration('-999999999ns') == timestamp('0001-01-01T00:00:00.000000002Z') => true
            add_time_to_duration_nanos_positive: timestamp('0001-01-01T00:00:01.999999999Z') + duration('999999999ns') == timestamp('0001-01-01T00:00:02.999999998Z') => true
            subtract_duration_from_time: timestamp('2009-02-13T23:10:00Z') - duration('600s') == timestamp('2009-02-13T23:00:00Z') => true
            subtract_time_from_time: timestamp('2009-02-13T23:31:00Z') - timestamp('2009-02-13T23:29:00Z') == duration('120s') => true
            subtract_duration_from_duration: duration('900s') - duration('42s') == duration('858s') => true
            [comparisons]
            leq_timestamp_true: timestamp('2009-02-13T23:00:00Z') <= timestamp('2009-02-13T23:00:00Z') => true
            leq_timestamp_false: timestamp('2009-02-13T23:00:00Z') <= timestamp('2009-02-13T22:59:59Z') => false
            leq_duration_true: duration('200s') <= duration('200s') => true
            leq_duration_false: duration('300s') <= duration('200s') => false
            less_timestamp_true: timestamp('2009-02-13T23:00:00Z') < timestamp('2009-03-13T23:00:00Z') => true
            less_duration_true: duration('200s') < duration('300s') => true
            geq_timestamp_true: timestamp('2009-02-13T23:00:00Z') >= timestamp('2009-02-13T23:00:00Z') => true
            geq_timestamp_false: timestamp('2009-02-13T22:58:00Z') >= timestamp('2009-02-13T23:00:00Z') => false
            geq_duration_true: duration('200s') >= duration('200s') => true
            geq_duration_false: duration('120s') >= duration('200s') => false
            greater_timestamp_true: timestamp('2009-02-13T23:59:00Z') > timestamp('2009-02-13T23:00:00Z') => true
            greater_duration_true: duration('300s') > duration('200s') => true
            [duration_converters]
            get_hours: duration('10000s').getHours() => 2
            get_milliseconds: x.getMilliseconds() where x = duration('123s') + duration('321456789ns') => 321
            get_minutes: duration('3730s').getMinutes() => 62
            get_seconds: duration('3730s').getSeconds() => 3730
            [timestamp_range]
            from_string_under: timestamp('0000-01-01T00:00:00Z') => error
            from_string_over: timestamp('10000-01-01T00:00:00Z') => error
            add_duration_under: timestamp('0001-01-01T00:00:00Z') + duration('-1s') => error
            add_duration_over: timestamp('9999-12-31T23:59:59Z') + duration('1s') => error
            add_duration_nanos_over: timestamp('9999-12-31T23:59:59.999999999Z') + duration('1ns') => error
            add_duration_nanos_under: timestamp('0001-01-01T00:00:00Z') + duration('-1ns') => error
            sub_time_duration_over: timestamp('9999-12-31T23:59:59Z') - timestamp('0001-01-01T00:00:00Z') => error
            sub_time_duration_under: timestamp('0001-01-01T00:00:00Z') - timestamp('9999-12-31T23:59:59Z') => error
            [duration_range]
            from_string_under: duration('-320000000000s') => error
            from_string_over: duration('320000000000s') => error
            add_under: duration('-200000000000s') + duration('-200000000000s') => error
            add_over: duration('200000000000s') + duration('200000000000s') => error
            sub_under: duration('-200000000000s') - duration('200000000000s') => error
            sub_over: duration('200000000000s') - duration('-200000000000s') => error
            """#)
}
