extension BehaviourTable {
    static let collections = BehaviourTable(
        #"""
        Set.size
            true: $set.size() == 2; [].toSet().size() == 0
            false: $set.size() == 3
            fails: $missing.size() == 0
        Set.hasAll
            true: $set.hasAll(['a'].toSet()); $set.hasAll(['a', 'b'])
            false: $set.hasAll(['a', 'c'].toSet())
            refused: $set.hasAll('a')
        Set.hasAny
            true: $set.hasAny(['a', 'z'].toSet())
            false: $set.hasAny(['z'])
            refused: $set.hasAny('a')
        Set.hasOnly
            true: $set.hasOnly(['b', 'a'].toSet()); $set.hasOnly(['a', 'b', 'c'])
            false: $set.hasOnly(['a'])
            fails: $set.hasOnly($null)
        Set.union
            true: $set.union(['c'].toSet()) == ['a', 'b', 'c'].toSet(); $set.union($set) == $set
            false: $set.union(['c'].toSet()) == $set
            refused: $set.union(['c']) == $set
            fails: $list.union($set) == $set
            refused: [1].toSet().union([2]).size() == 2
        Set.intersection
            true: $set.intersection(['b', 'c'].toSet()) == ['b'].toSet(); $set.intersection([].toSet()).size() == 0
            false: $set.intersection(['b'].toSet()) == $set
            refused: $set.intersection('b') == $set
        Set.difference
            true: $set.difference(['b'].toSet()) == ['a'].toSet(); $set.difference($set).size() == 0
            false: $set.difference(['c'].toSet()).size() == 0
            refused: $set.difference(1) == $set
        Map.keys
            true: $map.keys() == ['a', 'b']; {}.keys() == []; $map.keys().hasOnly(['b', 'a'])
            false: 'c' in $map.keys()
            fails: $list.keys() == []; $null.keys() == []
        Map.values
            true: $other.values() == [1, 4]; 4 in $other.values()
            false: 5 in $other.values()
            fails: $string.values() == []
        Map.size
            true: $map.size() == 2
            false: $map.size() == 0
            fails: $missing.size() == 2
        Map.get
            true: $map.get('a', 9) == 1; $map.get('z', 9) == 9; {'a': {'b': 1}}.get(['a', 'b'], 7) == 1
            true: {'a': {'b': 1}}.get(['a', 'c'], 7) == 7; {'a': {'b': 1}}.get(['z', 'c'], 7) == 7
            true: $map.get('z', null) == null
            false: $map.get('a', 9) == 9
            refused: $map.get(1, 9) == 9
            fails: $map.get([1], 9) == 9; $list.get('a', 9) == 9; $null.get('a', 9) == 9; $map.get('a', $missing) == 1
            refused: $map.get('a') == 1; {'a': 1}.get(1, 9) == 9
        Map.diff
            true: $map.diff($other).affectedKeys() == ['b', 'd'].toSet(); $map.diff($map).affectedKeys().size() == 0
            false: $map.diff($other).affectedKeys().hasAny(['a'])
            refused: $map.diff(1).affectedKeys().size() == 0
            fails: $list.diff($list).affectedKeys().size() == 0
        Map member
            true: $map.a == 1; $map.b.c == 2; $map['a'] == 1; $map['b']['c'] == 2; {'x-y': 1}['x-y'] == 1
            false: $map.a == 2
            fails: $map.z == 1; $map['z'] == 1
            refused: $map.z == null
            fails: $map[1] == 1; $null.a == 1; $null['a'] == 1; $string.a == 1; $list.a == 1
            refused: $int.a == null
        MapDiff.addedKeys
            true: $other.diff({'a': 1}).addedKeys() == ['d'].toSet(); {'a': 1}.diff({'a': 2}).addedKeys().size() == 0
            false: $other.diff({'a': 1}).addedKeys() == ['a'].toSet()
            fails: $map.addedKeys().size() == 0
        MapDiff.removedKeys
            true: {'a': 1}.diff($other).removedKeys() == ['d'].toSet()
            false: $other.diff({'a': 1}).removedKeys().size() == 1
            fails: $map.removedKeys().size() == 0
        MapDiff.changedKeys
            true: {'a': 1}.diff({'a': 2}).changedKeys() == ['a'].toSet()
            true: {'a': 1}.diff({'a': 1.0}).changedKeys().size() == 0
            false: {'a': 1}.diff({'b': 1}).changedKeys().size() == 1
            fails: $null.changedKeys().size() == 0
        MapDiff.unchangedKeys
            true: $map.diff($other).unchangedKeys() == ['a'].toSet()
            false: $map.diff($other).unchangedKeys().hasAny(['b', 'd'])
            fails: $list.unchangedKeys().size() == 0
        MapDiff.affectedKeys
            true: {'a': 1, 'b': 2}.diff({'a': 2, 'c': 3}).affectedKeys() == ['a', 'b', 'c'].toSet()
            true: $map.diff($other).affectedKeys().hasOnly(['b', 'd'])
            false: $map.diff($map).affectedKeys().hasAny(['a'])
            fails: $set.affectedKeys().size() == 0
        """#)
}
