"""Runs the command of a systemd unit under the unit's restrictions, without systemd: user, read-only file system,
capabilities and system calls. For the tests of the packages, which run in a chroot."""
import ctypes
import errno
import fcntl
import os
import re
import resource
import socket
import struct
import subprocess

libc = ctypes.CDLL(None, use_errno=True)

CAPABILITIES = {"CAP_NET_BIND_SERVICE": 10}
ALLOW, EQUAL, MASKED, GREATER = 0x7FFF0000, 4, 7, 6
# PROT_WRITE and PROT_EXEC of mmap, and the flags of namespaces of clone and unshare.
WRITE, EXECUTE, NAMESPACES = 2, 4, 0x7E020080


def check(result, text):
    if result < 0:
        raise OSError(ctypes.get_errno() or -result, text)
    return result


class Unit:
    """The directives of a unit file: the values of each, in order."""

    def __init__(self, text):
        self.values = {}
        for name, value in re.findall(r"(?m)^([A-Za-z]+)=(.*)$", text):
            self.values.setdefault(name, []).append(value)

    def __getitem__(self, name):
        return self.values.get(name, [""])[-1]

    def is_on(self, name):
        return self[name] in ("true", "yes", "on", "1")

    def command(self, name="ExecStart"):
        return self[name].split()


def system_call_sets():
    """Returns the named sets of system calls of systemd, each with its direct members."""
    text = subprocess.run(["systemd-analyze", "syscall-filter"], check=True, capture_output=True, text=True).stdout
    sets, current = {}, []
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines():
        if line.startswith("@"):
            current = sets.setdefault(line.split()[0], [])
        elif line.startswith("    ") and not line.strip().startswith("#"):
            current.append(line.strip())
    return sets


def allowed_calls(unit):
    sets = system_call_sets()

    def members(name):
        return {call for member in sets[name] for call in members(member)} if name.startswith("@") else {name}

    allowed = members("@default")
    for value in unit.values["SystemCallFilter"]:
        listed = {call for name in value.lstrip("~").split() for call in members(name)}
        allowed = allowed - listed if value.startswith("~") else allowed | listed
    return allowed


class Comparison(ctypes.Structure):
    _fields_ = [("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64)]


class Filter:
    """A filter of system calls. Several filters apply together, as those of systemd do."""

    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p

    def __init__(self, default):
        self.context = ctypes.c_void_p(self.library.seccomp_init(default))

    def add(self, action, call, *comparisons):
        number = self.library.seccomp_syscall_resolve_name(call.encode())
        if number >= 0:
            array = (Comparison * len(comparisons))(*[Comparison(*values) for values in comparisons])
            check(self.library.seccomp_rule_add_array(
                self.context, ctypes.c_uint32(action), number, len(comparisons), array), call)

    def load(self):
        check(self.library.seccomp_load(self.context), "seccomp_load")


def deny(code):
    return 0x00050000 | code


def filters(unit):
    """Returns the filters of a unit in the order of loading: the list of allowed calls is the last."""
    found = []
    if unit.is_on("MemoryDenyWriteExecute"):
        memory = Filter(ALLOW)
        memory.add(deny(errno.EPERM), "mmap", (2, MASKED, WRITE | EXECUTE, WRITE | EXECUTE))
        for call in ["mprotect", "pkey_mprotect"]:
            memory.add(deny(errno.EPERM), call, (2, MASKED, EXECUTE, EXECUTE))
        found.append(memory)
    if unit["RestrictAddressFamilies"]:
        families = {int(getattr(socket, name)) for name in unit["RestrictAddressFamilies"].split()}
        sockets = Filter(ALLOW)
        sockets.add(deny(errno.EAFNOSUPPORT), "socket", (0, GREATER, max(families), 0))
        for family in set(range(max(families))) - families:
            sockets.add(deny(errno.EAFNOSUPPORT), "socket", (0, EQUAL, family, 0))
        found.append(sockets)
    if unit.is_on("RestrictNamespaces"):
        namespaces = Filter(ALLOW)
        for bit in [1 << shift for shift in range(32) if NAMESPACES >> shift & 1]:
            for call in ["clone", "unshare"]:
                namespaces.add(deny(errno.EPERM), call, (0, MASKED, bit, bit))
        # Its flags are in memory, so that a filter cannot see them. The C library uses clone instead.
        namespaces.add(deny(errno.ENOSYS), "clone3")
        namespaces.add(deny(errno.EPERM), "setns")
        found.append(namespaces)
    if unit["SystemCallFilter"]:
        calls = Filter(deny(getattr(errno, unit["SystemCallErrorNumber"])))
        for call in sorted(allowed_calls(unit)):
            calls.add(ALLOW, call)
        found.append(calls)
    return found


def set_capabilities(names):
    """Leaves the process these capabilities only, also after it executes a program."""
    bits = sum(1 << CAPABILITIES[name] for name in names)
    header = struct.pack("Ii", 0x20080522, 0)
    check(libc.capset(header, struct.pack("6I", bits, bits, bits, 0, 0, 0)), "capset")
    for name in names:
        # PR_CAP_AMBIENT with PR_CAP_AMBIENT_RAISE.
        check(libc.prctl(47, 2, CAPABILITIES[name], 0, 0), "ambient capability")


def enter(root, unit, user, group, loaded):
    """Makes this process one of the unit's service. For `preexec_fn`."""
    # In a container, root may be unable to raise a limit.
    limit = min(int(unit["LimitNOFILE"]), resource.getrlimit(resource.RLIMIT_NOFILE)[1])
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    os.umask(int(unit["UMask"], 8))
    os.chroot(root)
    os.chdir("/")
    # PR_SET_KEEPCAPS: the capabilities survive the change of the user, for `set_capabilities`.
    check(libc.prctl(8, 1, 0, 0, 0), "keep capabilities")
    os.setgroups([])
    bounds = {CAPABILITIES[name] for name in unit["CapabilityBoundingSet"].split()}
    for number in range(64):
        # PR_CAPBSET_READ and PR_CAPBSET_DROP.
        if number not in bounds and libc.prctl(23, number, 0, 0, 0) == 1:
            check(libc.prctl(24, number, 0, 0, 0), "capability bounding set")
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    set_capabilities(unit["AmbientCapabilities"].split())
    # PR_SET_NO_NEW_PRIVS.
    check(libc.prctl(38, 1, 0, 0, 0), "no new privileges")
    for filter in loaded:
        filter.load()


def own_network():
    """Moves this process to a network that has a loopback interface only."""
    # CLONE_NEWNET. `os.unshare` needs Python 3.12.
    check(libc.unshare(0x40000000), "a network of its own")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        # SIOCSIFFLAGS with IFF_UP.
        fcntl.ioctl(control, 0x8914, struct.pack("16sh22x", b"lo", 1))
