extension BehaviourTable {
    static let arithmetic = BehaviourTable(
        #"""
        + int
            true: $int + 1 == 8; ($int + 1) is int; 1 + 2 + 3 == 6
            false: $int + 1 == 7
            fails: $max + 1 > 0; $min + -1 < 0; $int + $string == 0; $null + 1 == 1
            refused: 1 + null == 1
        + float
            true: $float + 1.25 == 2.75; $float + 1 == 2.5; (1 + 1.0) is float; math.isInfinite(1e308 + 1e308)
            false: $float + 1 == 2
            fails: $float + $bool == 1.0
        + string
            true: $string + ' L' == 'Ada L'; '' + $empty == ''
            false: $string + 'x' == 'Ada'
            fails: $string + $int == 'Ada7'; 1 + $string == 2
            refused: 1 + 'a' == '1a'; 'a' + 1 == 'a1'
        + list
            true: $list + [4] == [1, 2, 3, 4]; [] + $list == $list
            false: $list + [] == []
            fails: $list + $int == $list; $list + $set == $list
        + bytes
            true: $bytes + b'c' == b'abc'
            false: $bytes + b'' == b''
            fails: $bytes + $string == b'abAda'
        + timestamp and duration
            true: $timestamp + duration.value(1, 's') > $timestamp
            true: duration.value(500, 'ms') + timestamp.value(0) == timestamp.value(500)
            false: $timestamp + duration.value(1, 'ns') == $timestamp
            fails: timestamp.date(9999, 12, 31) + duration.value(1, 'd') > $timestamp
            fails: $timestamp + $timestamp > $timestamp; $timestamp + 1 > $timestamp
            refused: request.time + 1 > request.time; request.time + request.time > request.time
        + duration
            true: $duration + $duration == duration.value(181, 's')
            true: duration.value(1, 's') + duration.value(-1, 's') == duration.value(0, 's')
            false: $duration + $duration == $duration
            fails: duration.value(200000000000, 's') + duration.value(200000000000, 's') > $duration
            fails: $duration + 1 > $duration
        - int and float
            true: $int - 10 == -3; $int - 0.5 == 6.5; $max - 1 == 9223372036854775806
            false: $int - 7 == 7
            fails: $min - 1 < 0; $string - $string == 1
            refused: $list - [1] == []; 'a' - 'b' == ''
        - timestamp
            true: $timestamp - $timestamp == duration.value(0, 's')
            true: $timestamp - duration.value(500, 'ms') == timestamp.value(1234567890000)
            true: (request.time - $timestamp) is duration
            false: $timestamp - duration.value(1, 's') == $timestamp
            fails: timestamp.date(1, 1, 1) - duration.value(1, 'ns') < $timestamp; $timestamp - 1 < $timestamp
            fails: $duration - $timestamp < $duration
        - duration
            true: $duration - duration.value(500, 'ms') == duration.value(90, 's')
            true: duration.value(0, 's') - $duration == duration.value(-90500, 'ms')
            false: $duration - $duration == $duration
            fails: duration.value(-200000000000, 's') - duration.value(200000000000, 's') < $duration
        *
            true: $int * 6 == 42; $int * 0.5 == 3.5; $negative * -1 == 7
            false: $int * 1.0 == 8
            fails: $max * 2 > 0; $min * -1 > 0; $string * 2 == 1; $duration * 2 == $duration
            refused: 'a' * 2 == 'aa'
        /
            true: $int / 2 == 3; $negative / 2 == -3; ($int / 2) is int; $int / 2.0 == 3.5
            true: math.isInfinite($float / 0); math.isInfinite(1.0 / 0.0); math.isNaN(0.0 / 0.0)
            false: $int / 2 == 3.5
            fails: $int / 0 == 0; $min / -1 > 0; $string / 2 == 1
            refused: 1 / 0 == 0
        %
            true: $int % 4 == 3; $negative % 4 == -3; $int % -4 == 3
            false: $int % 7 == 1
            fails: $int % 0 == 0; $min % -1 == 1; $float % 1 == 0.5; $string % 2 == 0
            refused: 1.5 % 1.0 == 0.5
        unary -
            true: -$int == -7; -$float == -1.5; --$int == 7; -9223372036854775808 == $min; -(-$negative) == -7
            false: -$int == 7
            fails: -$min > 0; -$string == 1; -$duration == $duration; -$null == 0
            refused: -'a' == 'a'; -true
        """#)
}
