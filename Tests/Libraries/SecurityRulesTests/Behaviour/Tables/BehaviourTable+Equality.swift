extension BehaviourTable {
    static let equality = BehaviourTable(
        #"""
        == null
            true: [$null] == [null]; {}.get('a', null) == null; request.auth != null
            false: [$int] == [null]
            refused, true: $null == null
            refused, false: $int == null
            false: $null != null
            fails: [$unreadable] == [null]
        == bool
            true: $bool == true
            false: $bool == false; $bool != true
            no error: values of one kind always compare
        == int and float
            true: $int == 7; $int == 7.0; $float == 1.5; 9007199254740993 != 9007199254740992.0
            true: $max != 9223372036854775807.0; -0.0 == 0; $nan != $nan
            false: $nan == $nan; $int == 8; $int == 7.5; $int == $nan
            no error: values of one kind always compare
        == string
            true: $string == 'Ada'; "Ada" == $string; '\u00e9' != 'e\u0301'
            false: $string == 'ada'; $string != 'Ada'
            no error: values of one kind always compare
        == bytes
            true: $bytes == b'ab'
            false: $bytes == b'abc'
            no error: values of one kind always compare
        == list
            true: $list == [1, 2, 3]; $list == [1, 2.0, 3]; [[1], {'a': [2]}] == [[1.0], {'a': [2]}]
            false: $list == [3, 2, 1]; $list == [1, 2]
            fails: [$unreadable] == [1]
        == set
            true: $set == ['b', 'a'].toSet(); [1, 2, 2].toSet() == [2.0, 1].toSet()
            false: $set == ['a'].toSet()
            no error: a set holds no unreadable value
        == map
            true: $map == {'b': {'c': 2}, 'a': 1}; $map == {'a': 1.0, 'b': {'c': 2}}
            false: $map == {'a': 1}; $map == {'a': 1, 'b': {'c': 3}}
            fails: {'a': $unreadable} == {'a': 1}
        == path
            true: $path == /users/ada/docs; $path == path('/users/ada/docs'); $path == /users/$($lower)/docs
            false: $path == /users/ada; $path == /users/Ada/docs
            no error: values of one kind always compare
        == timestamp
            true: $timestamp == timestamp.value(1234567890000) + duration.value(500, 'ms')
            true: timestamp.date(1970, 1, 2) == timestamp.value(86400000)
            false: $timestamp == timestamp.value(1234567890000)
            no error: values of one kind always compare
        == duration
            true: $duration == duration.value(90500, 'ms'); duration.value(1, 'm') == duration.value(60, 's')
            false: $duration == duration.value(90, 's')
            no error: values of one kind always compare
        == across kinds
            true: $string != 1; $int != '7'; $list != {}
            false: $int == '7'; $bool == 1; $null == false; $null == ''; $set == $list; $bytes == 'ab'
            false: $path == '/users/ada/docs'
            refused, false: 1 == 'a'
            refused, true: 'a' != 1
            refused, false: [] == {}
            fails: $unreadable == 1; $unreadable != 'a'
        < int and float
            true: $int < 8; $int < 7.5; $float < 2; 9007199254740992.0 < 9007199254740993; $min < -9223372036854775807
            false: $int < 7; $max < 9223372036854775807; $nan < 1; 1 < $nan
            fails: $int < $string; $null < 1; $unreadable < 1
            refused: 1 < 'a'; null < 1
        < string
            true: $string < 'Adb'; 'Z' < 'a'; '\uffff' < '\U00010000'
            false: $string < 'Ada'; 'ä' < 'z'
            fails: $string < $int
            refused: 'a' < 1
        < bytes
            true: $bytes < b'b'; b'\x7f' < b'\x80'
            false: $bytes < b'ab'
            fails: $bytes < $string
        < bool
            true: false < $bool
            false: $bool < true
            fails: $bool < $int
        < timestamp
            true: $timestamp < request.time; timestamp.value(-1) < timestamp.value(0)
            false: request.time < $timestamp
            fails: $timestamp < $duration
            refused: request.time < 1
        < duration
            true: $duration < duration.value(2, 'm'); duration.value(-1, 'ns') < duration.value(0, 's')
            false: $duration < duration.value(90, 's')
            fails: $duration < $timestamp
        < other kinds
            no true: they have no order
            no false: they have no order
            fails: $list < $list; $map < $map; $set < $set; $path < $path; $null < $null
            refused: [1] < [2]; {} < {}
        <=
            true: $int <= 7; $string <= 'Ada'; $duration <= duration.value(90500, 'ms')
            false: $int <= 6; $nan <= $nan
            fails: $int <= $string; $list <= $list
            refused: 1 <= 'a'
        >
            true: $int > 6.5; $string > 'Abc'; request.time > $timestamp
            false: $int > 7; $nan > 1
            fails: $int > $null
            refused: 'a' > 1
        >=
            true: $int >= 7.0; $bytes >= b'ab'
            false: $int >= 8; $nan >= $nan
            fails: $bool >= $string
            refused: 1 >= b'a'
        in list
            true: 2 in $list; 2.0 in $list; null in [1, null]; 'b' in $strings; [1] in [[1]]
            false: 4 in $list; '2' in $list; $nan in [$nan]
            fails: 1 in [$unreadable]; $unreadable in $list
        in set
            true: 'a' in $set; 1.0 in [1, 2].toSet()
            false: 'c' in $set; 1 in $set
            fails: $unreadable in $set
        in map
            true: 'a' in $map; 'z' in {'z': null}
            false: 'c' in $map
            fails: 1 in $map; $null in $map
            refused: 1 in {'a': 1}
        in other kinds
            no true: nothing else is a collection
            no false: nothing else is a collection
            fails: 'A' in $string; 'a' in $null; 1 in $int; 'a' in $unreadable
            refused: 'A' in 'Ada'
        """#)
}
