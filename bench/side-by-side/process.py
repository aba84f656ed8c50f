"""A process as /proc describes it: processor time, peak of the memory, and what the memory is."""
# SPDX-License-Identifier: Apache-2.0
import os
import threading
import time

PERIOD = 0.25  # seconds between readings of the memory
MIB = 1024  # KiB
CPU_CLOCK = 2  # the low bits of a clock's identifier: the processor time of a whole process (clock_getcpuclockid)


def status(pid):
    """Returns the lines of /proc/PID/status that have a unit of kB, in MiB."""
    found = {}
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        for line in file:
            name, _, rest = line.partition(":")
            if rest.endswith(" kB\n"):
                found[name] = int(rest.split()[0]) / MIB
    return found


def mappings(pid):
    """Returns the resident MiB of the program's own file, of shared libraries, of the heap and of other anonymous memory."""
    program, kinds, kind = os.readlink(f"/proc/{pid}/exe"), {}, ""
    with open(f"/proc/{pid}/smaps", encoding="utf-8") as file:
        for line in file:
            words = line.split()
            if "-" in words[0] and not words[0].endswith(":"):
                path = words[5] if len(words) > 5 else ""
                kind = ("program" if path == program else "heap" if path == "[heap]" else
                        "other anonymous" if not path or path.startswith("[") else "libraries and files")
            elif words[0] == "Rss:":
                kinds[kind] = kinds.get(kind, 0) + int(words[1]) / MIB
    return {name: round(size, 1) for name, size in sorted(kinds.items())}


class Meter:
    """Reads the memory of a process regularly until the process ends or `stop`."""

    def __init__(self, pid):
        self.pid, self.most, self.at_most = pid, 0, {}
        self.over = threading.Event()
        threading.Thread(target=self.sample, daemon=True).start()

    def sample(self):
        while not self.over.wait(PERIOD):
            try:
                now = status(self.pid)
            except (OSError, ValueError):
                return
            if now.get("VmRSS", 0) > self.most:
                self.most = now["VmRSS"]
                self.at_most = {name: round(now[name], 1) for name in ("RssAnon", "RssFile")}

    def cpu(self):
        """Returns the processor time since the process began, in seconds; /proc/PID/stat has it in ticks of 10 ms only."""
        return time.clock_gettime(~self.pid << 3 | CPU_CLOCK)

    def peak(self):
        """Returns the highest resident memory so far, in MiB."""
        return status(self.pid)["VmHWM"]

    def stop(self):
        self.over.set()
