# SPDX-License-Identifier: MIT
"""debian/ and the tree agree, without building a package: names of the symbols file are those of tests/symbols.txt;
every file that is installed is in one package or in debian/not-installed, and every line of debian/*.install names
something; the module of Redis is executable, without which Redis does not load it; what the build needs by tools/packages is in Build-Depends; every test of debian/tests is there.
Then each check is shown something wrong, and has to find it.

usage: debian.py SOURCE-FOLDER BUILD-FOLDER
"""
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE, BUILD = sys.argv[1:3]
# Of the compiler and make, which every build has; and of a host that is in no package.
NOT_IN_BUILD_DEPENDS = {"gcc", "libc6-dev", "make", "libpcap-dev"}


def read(name):
    with open(os.path.join(SOURCE, name)) as file:
        return file.read()


def symbols():
    (name,) = glob.glob(os.path.join(SOURCE, "debian", "libultrafilter[0-9]*.symbols"))
    return re.findall(r"^ (uf_\w+)@", read(os.path.relpath(name, SOURCE)), re.M)


def compare_symbols(ours, listed):
    return [f"debian/*.symbols: {name} is {'not in' if name in ours else 'only in'} tests/symbols.txt"
            for name in sorted(set(ours) ^ set(listed))]


def library_folder():
    """Where this build puts libraries below the prefix: debian/ says usr/lib/${DEB_HOST_MULTIARCH}."""
    with open(os.path.join(BUILD, "CMakeCache.txt")) as file:
        return re.search(r"^CMAKE_INSTALL_LIBDIR:\w+=(.*)", file.read(), re.M).group(1)


def lists():
    """{package: patterns}, of what is installed and what is left out."""
    found = {"not-installed": read("debian/not-installed").split("\n")}
    for path in glob.glob(os.path.join(SOURCE, "debian", "*.install")):
        found[os.path.basename(path)] = read("debian/" + os.path.basename(path)).split("\n")
    library = "usr/" + library_folder()
    return {package: [line.split()[0].replace("usr/lib/${DEB_HOST_MULTIARCH}", library) for line in lines if line.strip()]
            for package, lines in found.items()}


def install(folder):
    """Everything that the build installs, as paths without the first slash. The build's manifest stays as it was."""
    with tempfile.TemporaryDirectory() as kept:
        manifests = glob.glob(os.path.join(BUILD, "install_manifest*.txt"))
        for path in manifests:
            shutil.copy2(path, kept)
        for component in ([], ["--component", "postgres"], ["--component", "python"]):
            subprocess.run(["cmake", "--install", BUILD, "--prefix", "/usr", *component], check=True,
                           env={**os.environ, "DESTDIR": folder}, stdout=subprocess.DEVNULL)
        for path in glob.glob(os.path.join(BUILD, "install_manifest*.txt")):
            os.remove(path)
        for path in manifests:
            shutil.copy2(os.path.join(kept, os.path.basename(path)), path)
    return sorted(os.path.relpath(os.path.join(where, name), folder) for where, _, names in os.walk(folder) for name in names)


def matches(path, pattern):
    """As dh_install does: a pattern stays within folders, and a folder takes along what is in it."""
    parts, wanted = path.split("/"), pattern.split("/")
    return len(parts) >= len(wanted) and all(fnmatch.fnmatchcase(part, want) for part, want in zip(parts, wanted))


def compare_files(files, packages):
    wrong = []
    for path in files:
        owners = [package for package, patterns in packages.items() if any(matches(path, pattern) for pattern in patterns)]
        if len(owners) != 1:
            wrong.append(f"{path} is installed, and is in {' and '.join(owners) or 'no package: debian/*.install, debian/not-installed'}")
    wrong += [f"debian/{package}: {pattern} is not installed" for package, patterns in packages.items() for pattern in patterns
              if not any(matches(path, pattern) for path in files)]
    return wrong


def compare_needs(needed, control):
    declared = re.findall(r"^\s*([a-z0-9.+-]+)", re.search(r"^Build-Depends:(.*?)^\w", control, re.M | re.S).group(1).replace(",", "\n"), re.M)
    return [f"debian/control: {name} of tools/packages is not in Build-Depends" for name in needed if name not in declared]


def compare_tests(control, there):
    named = set(re.findall(r"^Tests: (\S+)", control, re.M))
    return [f"debian/tests: {name} is {'named in control, and is not there' if name in named else 'not named in control'}"
            for name in sorted(named ^ set(there))]


def main():
    listed = read("tests/symbols.txt").split()
    needed = set(re.findall(r"^(?:build|host) (\S+)", read("tools/packages"), re.M)) - NOT_IN_BUILD_DEPENDS
    tests = set(os.listdir(os.path.join(SOURCE, "debian", "tests"))) - {"control", "lib.sh"}
    packages = lists()
    with tempfile.TemporaryDirectory() as folder:
        files = install(folder)
        module = next(path for path in files if path.endswith("/redis_ultrafilter.so"))
        executable = os.stat(os.path.join(folder, module)).st_mode & 0o111 == 0o111
    wrong = (compare_symbols(symbols(), listed) + compare_files(files, packages) +
             compare_needs(needed, read("debian/control")) + compare_tests(read("debian/tests/control"), tests))
    if not executable:
        wrong.append(f"{module} is not executable")
    for line in wrong:
        print(line, file=sys.stderr)
    controls = (compare_symbols(symbols()[1:], listed), compare_symbols(symbols(), listed[1:]),
                compare_files(files + ["usr/bin/new"], packages), compare_files(files, {**packages, "twice": ["usr/bin"]}),
                compare_files(files, {**packages, "none": ["usr/bin/gone"]}), compare_needs({"libnew-dev"}, read("debian/control")),
                compare_tests("Tests: gone", []), compare_tests("", ["new"]))
    blind = [number for number, found in enumerate(controls) if not found]
    if blind:
        print(f"what was planted was not found: {blind}", file=sys.stderr)
    print(f"{len(listed)} symbols, {len(files)} files of {len(packages) - 1} packages, {len(needed)} dependencies, {len(tests)} tests: "
          f"{len(wrong)} wrong; {len(controls) - len(blind)} of {len(controls)} planted errors found")
    return 1 if wrong or blind else 0


sys.exit(main())
