extension BehaviourTable {
    static let equality = BehaviourTable(
        #"""
        == null
            true: [$null] == [null]
            true: {}.get('a', null) == null
            true: request.auth != null
            false: [$int] == [null]
            refused, true: $null == null
            refused, false: $int == null
            false: $null != null
            fails: [$unreadable] == [null]
        == bool
            true: $bool == true
            false: $bool == false
            false: $bool != true
            no error: values of one kind always compare
        == int and float
            true: $int == 7
            true: $int == 7.0
            true: $float == 1.5
            true: 9007199254740993 != 9007199254740992.0
            true: $max != 9223372036854775807.0
            true: -0.0 == 0
            true: $nan != $nan
            false: $nan == $nan
            false: $int == 8
            false: $int == 7.5
            false: $int == $nan
            no error: values of one kind always compare
        == string
            true: $string == 'Ada'
            true: "Ada" == $string
            true: '\u00e9' != 'e\u0301'
            false: $string == 'ada'
            false: $string != 'Ada'
            no error: values of one kind always compare
        == bytes
            true: $bytes == b'ab'
            false: $bytes == b'abc'
            no error: values of one kind always compare
        == list
            true: $list == [1, 2, 3]
            true: $list == [1, 2.0, 3]
            true: [[1], {'a': [2]}] == [[1.0], {'a': [2]}]
            false: $list == [3, 2, 1]
            false: $list == [1, 2]
            fails: [$unreadable] == [1]
        == set
            true: $set == ['b', 'a'].toSet()
            true: [1, 2, 2].toSet() == [2.0, 1].toSet()
            false: $set == ['a'].toSet()
            no error: a set holds no unreadable value
        == map
            true: $map == {'b': {'c': 2}, 'a': 1}
            true: $map == {'a': 1.0, 'b': {'c': 2}}
            false: $map == {'a': 1}
            false: $map == {'a': 1, 'b': {'c': 3}}
            fails: {'a': $unreadable} == {'a': 1}
        == path
            true: $path == /users/ada/docs
            true: $path == path('/users/ada/docs')
            true: $path == /users/$($lower)/docs
            false: $path == /users/ada
            false: $path == /users/Ada/docs
            no error: values of one kind always compare
        == timestamp
            true: $timestamp == timestamp.value(1234567890000) + duration.value(500, 'ms')
            true: timestamp.date(1970, 1, 2) == timestamp.value(86400000)
            false: $timestamp == timestamp.value(1234567890000)
            no error: values of one kind always compare
        == duration
            true: $duration == duration.value(90500, 'ms')
            true: duration.value(1, 'm') == duration.value(60, 's')
            false: $duration == duration.value(90, 's')
            no error: values of one kind always compare
        == across kinds
            true: $string != 1
            true: $int != '7'
            true: $list != {}
            false: $int == '7'
            false: $bool == 1
            false: $null == false
            false: $null == ''
            false: $set == $list
            false: $bytes == 'ab'
            false: $path == '/users/ada/docs'
            refused, false: 1 == 'a'
            refused, true: 'a' != 1
            refused, false: [] == {}
            fails: $unreadable == 1
            fails: $unreadable != 'a'
        < int and float
            true: $int < 8
            true: $int < 7.5
            true: $float < 2
            true: 9007199254740992.0 < 9007199254740993
            true: $min < -9223372036854775807
            false: $int < 7
            false: $max < 9223372036854775807
            false: $nan < 1
            false: 1 < $nan
            fails: $int < $string
            fails: $null < 1
            fails: $unreadable < 1
            refused: 1 < 'a'
            refused: null < 1
        < string
            true: $string < 'Adb'
            true: 'Z' < 'a'
            true: '\uffff' < '\U00010000'
            false: $string < 'Ada'
            false: 'ä' < 'z'
            fails: $string < $int
            refused: 'a' < 1
        < bytes
            true: $bytes < b'b'
            true: b'\x7f' < b'\x80'
            false: $bytes < b'ab'
            fails: $bytes < $string
        < bool
            true: false < $bool
            false: $bool < true
            fails: $bool < $int
        < timestamp
            true: $timestamp < request.time
            true: timestamp.value(-1) < timestamp.value(0)
            false: request.time < $timestamp
            fails: $timestamp < $duration
            refused: request.time < 1
        < duration
            true: $duration < duration.value(2, 'm')
            true: duration.value(-1, 'ns') < duration.value(0, 's')
            false: $duration < duration.value(90, 's')
            fails: $duration < $timestamp
        < other kinds
            no true: they have no order
            no false: they have no order
            fails: $list < $list
            fails: $map < $map
            fails: $set < $set
            fails: $path < $path
            fails: $null < $null
            refused: [1] < [2]
            refused: {} < {}
        <=
            true: $int <= 7
            true: $string <= 'Ada'
            true: $duration <= duration.value(90500, 'ms')
            false: $int <= 6
            false: $nan <= $nan
            fails: $int <= $string
            fails: $list <= $list
            refused: 1 <= 'a'
        >
            true: $int > 6.5
            true: $string > 'Abc'
            true: request.time > $timestamp
            false: $int > 7
            false: $nan > 1
            fails: $int > $null
            refused: 'a' > 1
        >=
            true: $int >= 7.0
            true: $bytes >= b'ab'
            false: $int >= 8
            false: $nan >= $nan
            fails: $bool >= $string
            refused: 1 >= b'a'
        in list
            true: 2 in $list
            true: 2.0 in $list
            true: null in [1, null]
            true: 'b' in $strings
            true: [1] in [[1]]
            false: 4 in $list
            false: '2' in $list
            false: $nan in [$nan]
            fails: 1 in [$unreadable]
            fails: $unreadable in $list
        in set
            true: 'a' in $set
            true: 1.0 in [1, 2].toSet()
            false: 'c' in $set
            false: 1 in $set
            fails: $unreadable in $set
        in map
            true: 'a' in $map
            true: 'z' in {'z': null}
            false: 'c' in $map
            fails: 1 in $map
            fails: $null in $map
            refused: 1 in {'a': 1}
        in other kinds
            no true: nothing else is a collection
            no false: nothing else is a collection
            fails: 'A' in $string
            fails: 'a' in $null
            fails: 1 in $int
            fails: 'a' in $unreadable
            refused: 'A' in 'Ada'
        """#)
}
