# SPDX-License-Identifier: Apache-2.0
"""Builds mutants and runs tests on them.

The tree is built once, file by file and optimised a little. A mutant is then a copy of one file in
a folder of its own that the compiler searches first: only what includes the file is compiled
again, and linked before the libraries that hold the rest. The tree itself is never touched.
"""
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from verdicts import AT_START, Fault

# Random properties on fewer cases: enough for most mutants. Survivors see all of them.
QUICK = {"WEFT_PROPERTY_SCALE": "0.1", "RC_PARAMS": "seed=1 max_success=20"}
FULL = {"RC_PARAMS": "seed=1"}
MEMORY_KIB = 8 << 20
RUN = re.compile(r"\[ RUN      \] (\S+)")
DONE = re.compile(r"\[       OK \] (\S+).* \((\d+) ms\)")
FAILURE = re.compile(r"\[  FAILED  \] |.*: Failure$")


def linker_option():
    """The fastest linker of the machine that the compiler can work with."""
    compiler = os.environ.get("CXX", "c++")
    for name in ("mold", "lld", "gold"):
        if not shutil.which(f"ld.{name}"):
            continue
        with tempfile.TemporaryDirectory() as folder:
            tried = subprocess.run(
                [compiler, f"-fuse-ld={name}", "-x", "c++", "-", "-o", f"{folder}/tried"],
                input="#include <iostream>\nint main() { std::cout << 1; }", text=True,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        if tried.returncode == 0:
            return f"-fuse-ld={name}"
    return ""


def run_checked(command, what, **more):
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            errors="replace", **more)
    if result.returncode != 0:
        raise Fault(f"{what} failed:\n{result.stdout[-6000:]}")
    return result.stdout


class Workshop:
    """A clean build, and what is needed to build parts of it again elsewhere."""

    def __init__(self, root, folder, jobs):
        self.root, self.folder, self.jobs = root, folder, jobs
        self.build = folder / "clean"
        self.suites = {}

    def make_clean(self, test_folders):
        run_checked(["cmake", "-S", self.root, "-B", self.build, "-G", "Ninja", "-DWEFT_JOIN=1",
                     "-DCMAKE_BUILD_TYPE=Mutants", "-DCMAKE_CXX_FLAGS_MUTANTS=-O1",
                     "-DCMAKE_CXX_COMPILER_LAUNCHER=env",  # not ccache: nothing is built twice
                     f"-DCMAKE_EXE_LINKER_FLAGS={linker_option()}"], "configuring")
        run_checked(["cmake", "--build", self.build, "--parallel", str(self.jobs), "--target",
                     *[f"{name}_tests" for name in test_folders]], "the clean build")
        self.commands = {}
        for entry in json.loads((self.build / "compile_commands.json").read_text()):
            words = shlex.split(entry["command"])
            self.commands[words[words.index("-o") + 1]] = words
        self.users = self.read_users()
        for name in test_folders:
            self.suites[name] = Suite(self, name)

    def read_users(self):
        """Source or header → the objects that include it."""
        users = {}
        listing = run_checked(["ninja", "-C", self.build, "-t", "deps"], "ninja -t deps")
        for block in listing.split("\n\n"):
            first, *files = block.splitlines() or [""]
            for file in files:
                path = os.path.normpath(self.build / file.strip())
                users.setdefault(path, []).append(first.partition(":")[0])
        return users

    def compile(self, mutant, source, place):
        """Writes the mutant and what is compiled from it into a folder. Object → new object; None
        if it does not compile."""
        path = place / "tree" / mutant.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(mutant.apply(source))
        made = {}
        needed = [name for name in self.users.get(str(self.root / mutant.file), [])
                  if any(name in suite.objects for suite in self.suites.values())]
        for number, name in enumerate(sorted(needed)):
            made[name] = place / f"{number}.o"
            words = list(self.commands[name])
            words[words.index("-o") + 1] = str(made[name])
            if words[-1] == str(self.root / mutant.file):
                words[-1] = str(path)
            words[1:1] = ["-w", f"-I{place}/tree/src", f"-I{place}/tree",
                          f"-fmacro-prefix-map={place}/tree/={self.root}/"]
            result = subprocess.run(words, cwd=self.build, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
            if result.returncode != 0:
                return None
        return made

    def same_code(self, made):
        return all((self.build / name).read_bytes() == path.read_bytes()
                   for name, path in made.items())


class Suite:
    """One program of tests: how it is linked, and how long its tests take."""

    def __init__(self, workshop, name):
        self.workshop, self.name = workshop, name
        self.program = workshop.build / "tests" / f"{name}_tests"
        listing = run_checked(["ninja", "-C", workshop.build, "-t", "commands", f"{name}_tests"],
                              "ninja -t commands")
        self.link = listing.splitlines()[-1]
        # Once: some linkers name libraries only. The output goes where it is already.
        trace = run_checked(self.link_command(self.program, {}, "-Wl,--trace,--trace"), "linking",
                            shell=True, cwd=workshop.build)
        self.objects = self.read_trace(trace)
        if not any("test" not in name for name in self.objects):
            raise Fault(f"the linker does not say what {name}_tests consists of:\n{trace[-2000:]}")
        self.times = {}

    def link_command(self, output, made, option=""):
        """Changed objects of the program take their places; those of libraries come before them, so
        that nobody asks the library."""
        words = [word for word in shlex.split(self.link) if word not in (":", "&&")]
        own = {word for word in words if word.endswith(".o")}
        at = words.index("-o")
        words = [str(made.get(word, word)) for word in words]
        words[at + 1] = str(output)
        words[at:at] = [str(path) for name, path in made.items()
                        if name not in own and name in self.objects]
        if option:
            words.append(option)
        return shlex.join(words)

    def read_trace(self, trace):
        """The objects that are linked, by their names in the build."""
        members = set(re.findall(r"^(\S+\.o)$", trace, re.M))
        for library, member in re.findall(r"^\(?(\S+\.a)[()](\S+?\.o)\)?$", trace, re.M):
            members.add((Path(library).stem, member))
        found = set()
        for name in self.workshop.commands:
            parts = Path(name).parts  # CMakeFiles/weft_base.dir/src/base/files.cpp.o
            library = "lib" + parts[1].removesuffix(".dir")
            if name in members or (library, parts[-1]) in members:
                found.add(name)
        return found

    def learn(self):
        """Runs all tests on the clean build."""
        seconds = []
        for environment in (QUICK, FULL):
            run = TestRun(self.program, "*", environment, {})
            if run.verdict != "survived":
                raise Fault(f"{self.name}_tests fail without a mutant: {run.by}")
            self.times = run.times
            seconds.append(sum(run.times.values()))
        self.quick_seconds, self.full_seconds = seconds

    def build(self, made, output):
        touched = {name: path for name, path in made.items() if name in self.objects}
        if not touched:
            return False
        run_checked(self.link_command(output, touched), "linking a mutant", shell=True,
                    cwd=self.workshop.build)
        return True


class TestRun:
    """Tests that match a filter, up to the first failure, crash or test that takes too long."""

    def __init__(self, program, names, environment, clean_times, patience=3.0):
        self.verdict, self.by, self.times = "survived", "", {}
        self.clean_times, self.patience = clean_times, patience
        limits = f"ulimit -c 0 -v {MEMORY_KIB}; exec \"$@\""
        with tempfile.TemporaryDirectory() as scratch:
            process = subprocess.Popen(
                ["bash", "-c", limits, "bash", str(program), f"--gtest_filter={names}",
                 "--gtest_fail_fast", "--gtest_color=no"],
                env=os.environ | environment | {"TMPDIR": scratch}, cwd=scratch,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                start_new_session=True)
            try:
                self.follow(process)
            finally:
                end_group(process)

    def follow(self, process):
        os.set_blocking(process.stdout.fileno(), False)
        rest, test = b"", AT_START
        begun = (0.0, time.monotonic())
        while True:
            data = process.stdout.read()
            if data:
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    text = line.decode(errors="replace")
                    if match := RUN.search(text):
                        test = match.group(1)
                        begun = (cpu_seconds(process.pid), time.monotonic())
                    elif match := DONE.search(text):
                        self.times[match.group(1)] = int(match.group(2)) / 1000
                    elif FAILURE.match(text):
                        self.verdict, self.by = "killed", test
                        return
                continue
            if data == b"" or process.poll() is not None:
                if process.wait() != 0:
                    self.verdict, self.by = "killed", test
                return
            most = self.patience + 10 * self.clean_times.get(test, 0)
            if self.clean_times and (cpu_seconds(process.pid) - begun[0] > most
                                     or time.monotonic() - begun[1] > 20 + 5 * most):
                self.verdict, self.by = "timed out", test
                return
            time.sleep(0.01)


def cpu_seconds(pid):
    """Time that a process has had, which does not depend on what else the machine does."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError):
        return 0.0


def end_group(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.wait()
    process.stdout.close()
