# SPDX-License-Identifier: Apache-2.0
"""A subnet that ibsim simulates and OpenSM manages, and the dumps that both leave of it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 300  # seconds on the clock for any one step: the machine may be busy
LANED = {'lash', 'dfsssp', 'nue', 'torus-2QoS'}  # engines whose paths have service levels


class StepFailed(Exception):
    """A program did not do its part: neither a verdict nor a disagreement."""


def find_umad2sim():
    """The library through which programs for InfiniBand reach ibsim."""
    if os.environ.get('WEFT_UMAD2SIM'):
        return os.environ['WEFT_UMAD2SIM']
    for prefix in ('/usr/lib', '/usr/lib64', '/usr/local/lib', '/usr/local/lib64'):
        for pattern in ('umad2sim/libumad2sim.so', '*/umad2sim/libumad2sim.so'):
            for found in pathlib.Path(prefix).glob(pattern):
                return str(found)
    sys.exit('libumad2sim.so is missing; it comes with ibsim-utils')


def require_tools():
    os.environ['PATH'] += ':/usr/sbin:/sbin'
    for tool in ('ibsim', 'opensm', 'ibnetdiscover', 'ibdmchk'):
        if shutil.which(tool) is None:
            sys.exit(f'{tool} is missing; see opensm, ibsim-utils, infiniband-diags, ibutils')


def wait_until(happened, process, what):
    """Polls until it has happened; fails when the process has ended, or after much time."""
    end = time.monotonic() + PATIENCE
    while not happened():
        if process.poll() is not None:
            raise StepFailed(f'{what}: ended with status {process.returncode}')
        if time.monotonic() > end:
            raise StepFailed(f'{what}: nothing after {PATIENCE} s')
        time.sleep(0.01)


def stop(process):
    """OpenSM obeys only between sweeps, so that its dumps are whole."""
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Subnet:
    """ibsim and OpenSM at work on the topology `net`; its files are in `folder`."""

    sockets = 0

    def __init__(self, folder, net):
        self.folder = pathlib.Path(folder)
        self.dumps = self.folder / 'dumps'
        self.dumps.mkdir()
        (self.folder / 'net').write_text(net)
        self.simulator = self.manager = None
        Subnet.sockets += 1
        self.socket = f'weft{os.getpid()}x{Subnet.sockets}'
        first = re.search(r'^Ca\s+\d+ "([^"]+)"', net, re.MULTILINE).group(1)
        # umad2sim leaves files in the working folder, OpenSM in the others.
        self.environment = dict(os.environ, LC_ALL='C', IBSIM_SOCKNAME=self.socket, SIM_HOST=first,
                                OSM_TMP_DIR=str(self.folder), OSM_CACHE_DIR=str(self.folder))
        self.inside = dict(self.environment, LD_PRELOAD=find_umad2sim())

    def __enter__(self):
        return self

    def __exit__(self, *error):
        stop(self.manager)
        stop(self.simulator)

    def start(self, *command, log, environment, stdin=subprocess.DEVNULL):
        with open(self.folder / log, 'wb') as output:
            return subprocess.Popen(command, stdin=stdin, stdout=output, stderr=output,
                                    cwd=self.folder, env=environment)

    def simulate(self):
        """ibsim is ready when its last socket is there."""
        self.simulator = self.start('ibsim', '-s', '-f', 'ibsim.log', 'net', log='ibsim.out',
                                    environment=self.environment, stdin=subprocess.PIPE)
        last = f'@{self.socket}:out9'.encode()
        wait_until(lambda: last in pathlib.Path('/proc/net/unix').read_bytes(), self.simulator,
                   'ibsim')

    def manage(self, *options):
        """Starts OpenSM, which stays alive to be asked; returns the engine that it really used."""
        log = self.folder / 'opensm.log'
        self.manager = self.start('opensm', '-e', '-f', str(log), '--dump_files_dir',
                                  str(self.dumps), '-D', '0x43', '-d', '2', '-s', '0', *options,
                                  log='opensm.out', environment=self.inside)
        wait_until(lambda: log.exists() and b'SUBNET UP' in log.read_bytes(), self.manager,
                   'opensm')
        used = re.findall(rb'(\S+) tables configured on all switches', log.read_bytes())
        if not used:
            raise StepFailed('opensm: its log names no engine')
        return used[-1].decode()

    def command(self, line):
        """Types a line at ibsim's console."""
        self.simulator.stdin.write(line.encode() + b'\n')
        self.simulator.stdin.flush()

    def sweep_after(self, action):
        """Does something that makes OpenSM sweep, and waits until it has routed all anew. Returns
        what it logs meanwhile."""
        log = self.folder / 'opensm.log'
        begin = log.stat().st_size
        action()

        def logged():
            return log.read_bytes()[begin:]
        wait_until(lambda: b'SUBNET UP' in logged(), self.manager, 'opensm')
        return logged().decode(errors='replace')

    def run(self, *command, text=None):
        """What a program prints that runs at the first host of the subnet."""
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder, env=self.inside, timeout=PATIENCE, text=True)
        if done.returncode != 0:
            raise StepFailed(f'{command[0]}: status {done.returncode}: {done.stderr[-300:]}')
        return done.stdout

    def discover(self):
        (self.dumps / 'discovered.topo').write_text(self.run('ibnetdiscover'))

    def ask_levels(self):
        """Writes the service levels of all pairs of hosts as ibdiagnet does (.psl)."""
        hosts = hosts_of((self.dumps / 'discovered.topo').read_text())
        pairs = [(guid, source, target + further) for guid, source, _ in hosts
                 for _, target, lmc in hosts for further in range(1 << lmc) if source != target]
        question = ''.join(f'{source} {target}\n' for _, source, target in pairs)
        levels = self.run(sys.executable, str(HERE / 'path_levels.py'), text=question).split()
        if len(levels) != len(pairs):
            raise StepFailed(f'path_levels.py: {len(levels)} levels of {len(pairs)} paths')
        with open(self.dumps / 'opensm.psl', 'w') as out:
            for (guid, _, target), level in zip(pairs, levels):
                if level != 'none':
                    out.write(f'0x{guid:016x} {target} {level}\n')

    def finish(self):
        """Ends both programs, so that all dumps are whole."""
        stop(self.manager)
        stop(self.simulator)


def hosts_of(discovered):
    """(node GUID, first LID, LMC) of all ports of adapters in ibnetdiscover's text."""
    hosts, guid = [], None
    for line in discovered.splitlines():
        if line.startswith('caguid='):
            guid = int(line[7:].split('(')[0], 16)
        elif line.startswith(('switchguid=', 'rtguid=')):
            guid = None
        elif line.startswith('[') and guid is not None:
            lid, lmc = re.search(r'# lid (\d+) lmc (\d+)', line).groups()
            hosts.append((guid, int(lid), int(lmc)))
    return hosts


def routed_subnet(folder, net, engine, *options):
    """Dumps of a subnet under one engine; returns the engine that OpenSM really used."""
    with Subnet(folder, net) as subnet:
        subnet.simulate()
        used = subnet.manage('-R', engine, *options)
        if used == engine:
            subnet.discover()
            if engine in LANED:
                subnet.ask_levels()
        subnet.finish()
    return used


def new_folder():
    return pathlib.Path(tempfile.mkdtemp(prefix='weft-interop-'))
