extension BehaviourTable {
    static let lists = BehaviourTable(
        #"""
        List.size
            true: $list.size() == 3; [].size() == 0
            false: $list.size() == 2
            fails: $null.size() == 0
        List.concat
            true: $list.concat([4]) == [1, 2, 3, 4]; [].concat($list) == $list
            false: $list.concat([]) == []
            refused: $list.concat(4) == $list
            fails: $list.concat($set) == $list
            refused: $string.concat('a') == 'Adaa'; [1].concat(1) == [1, 1]
        List.join
            true: $strings.join(',') == 'a,b,c'; [].join(',') == ''; ['a'].join(',') == 'a'
            false: $strings.join('') == 'a,b,c'
            refused: $strings.join(1) == 'a1b1c'
            fails: $set.join(',') == 'a,b'; [$map].join(',') == ''
            refused: ['a'].join(1) == 'a'
        List.hasAll
            true: $list.hasAll([1, 3]); $list.hasAll([]); $list.hasAll([1.0, 1]); $list.hasAll([3].toSet())
            false: $list.hasAll([1, 4])
            refused: $list.hasAll(1)
            fails: $string.hasAll(['a']); $list.hasAll([$unreadable])
            refused: [1].hasAll(1)
        List.hasAny
            true: $list.hasAny([4, 3]); $strings.hasAny(['c'].toSet())
            false: $list.hasAny([4, 5]); $list.hasAny([])
            fails: $list.hasAny($null); $map.hasAny(['a'])
        List.hasOnly
            true: ['a', 'a', 'b'].hasOnly(['a', 'b', 'b']); $list.hasOnly([3, 2, 1]); [].hasOnly([])
            true: [1].hasOnly([1, 2])
            false: ['a', 'b'].hasOnly(['a', 'c']); $list.hasOnly([1, 2])
            refused: $list.hasOnly(1)
            fails: $null.hasOnly([])
        List.removeAll
            true: [1, 2, 1, 3].removeAll([1]) == [2, 3]; $list.removeAll([]) == $list
            true: $list.removeAll([1, 2.0, 3]) == []
            false: $list.removeAll([1]) == $list
            refused: $list.removeAll(1) == $list
            fails: $set.removeAll(['a']) == $set
        List.toSet
            true: [1, 2, 1.0].toSet().size() == 2; ['b', 'a'].toSet() == $set
            false: $list.toSet() == [1, 2].toSet()
            fails: $string.toSet().size() == 3; [$unreadable].toSet().size() == 1
        List[i]
            true: $list[0] == 1; $list[2] == 3; [[1, 2]][0][1] == 2
            false: $list[0] == 2
            fails: $list[3] == 1
            refused: $list[-1] == 3
            fails: $list['a'] == 1; $list[$null] == 1; $int[0] == 7; $set[0] == 'a'
            refused: [1]['a'] == 1
        List[i:j]
            true: $list[0:2] == [1, 2]; $list[0:3] == $list; $list[1:1] == []
            false: $list[0:1] == $list
            fails: $list[0:4] == $list
            refused: $list[2:1] == []; $list[-1:1] == []
            fails: $map[0:1] == []
        """#)
}
