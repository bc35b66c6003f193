"""Deterministic archives: sorted, with one time, and owned by root."""
import gzip
import io
import os
import stat
import tarfile


def entries(folder):
    """Yields the paths below a folder in their order in an archive, relative to it."""
    found = []
    for parent, folders, names in os.walk(folder):
        found += [os.path.relpath(os.path.join(parent, name), folder) for name in folders + names]
    return sorted(found)


def write_tar(file, folder, time, prefix="", owners={}):
    """Writes a folder as a tar archive. `owners` has the user number of paths that root does not own."""
    with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path in entries(folder):
            source = os.path.join(folder, path)
            information = archive.gettarinfo(source, arcname=prefix + path)
            if information.islnk():
                # A second name of a file would depend on the order of the archive.
                raise SystemExit(f"package: {path} is a hard link")
            information.uid = information.gid = owners.get(path, 0)
            information.uname = information.gname = ""
            information.mtime = time
            if information.isreg():
                information.mode = 0o755 if information.mode & stat.S_IXUSR else 0o644
                with open(source, "rb") as content:
                    archive.addfile(information, content)
            else:
                information.mode &= 0o7777
                archive.addfile(information)


def write_gzip(path, folder, time, prefix="", owners={}, level=9):
    """Writes a folder as a compressed tar archive."""
    # No name and no time in the header.
    with open(path, "wb") as file, gzip.GzipFile("", "wb", level, file, mtime=0) as compressed:
        write_tar(compressed, folder, time, prefix, owners)


def tar_of(files, time):
    """Returns an archive of files in memory: their content by path."""
    result = io.BytesIO()
    with tarfile.open(fileobj=result, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for path, content in sorted(files.items()):
            information = tarfile.TarInfo(path)
            information.size, information.mtime, information.mode = len(content), time, 0o644
            archive.addfile(information, io.BytesIO(content))
    return result.getvalue()
