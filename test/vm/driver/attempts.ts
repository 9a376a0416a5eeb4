// What an intruder tries who runs code in a daemon's place. Each attempt throws the system's error where it is refused,
// and undoes what it does where it is not.
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { constants, hostname } from 'node:os'
import { join } from 'node:path'

/** Addons of the panel and of this test (system-calls.c). */
export interface Powers {
  readonly panel: {
    open(protocol: number): unknown
    send(channel: unknown, bytes: Uint8Array): void
    receive(channel: unknown): { readonly bytes: Buffer } | null
    openIcmp(family: 4 | 6): unknown
  }
  readonly system: {
    call(number: number | undefined, ...values: (number | Buffer)[]): number
    child(flags: number, fd: number): void
  } & Readonly<Record<string, number>>
}

/** The place that an intruder is in, and what else runs on the host. */
export interface Place {
  /** A folder that the unit may write to. */
  readonly own: string
  readonly othersFolder: string
  readonly othersProcess: number
  readonly disk: string
  /** An addon of node, to be copied. */
  readonly library: string
}

const text = (value: string): Buffer => Buffer.from(`${value}\0`)
const [AF_UNIX, AF_INET, AF_PACKET, STREAM, RAW] = [1, 2, 17, 1, 3]
const [NETLINK_ROUTE, NETLINK_NETFILTER] = [0, 12]
const [NEW_USER, NEW_NETWORK] = [0x1000_0000, 0x4000_0000]
const SEIZE = 0x4206
const BROADCAST_MAGIC = 0

const read = (path: string) => (): void => void fs.readFileSync(path)
const list = (path: string) => (): void => void fs.readdirSync(path)
const open =
  (path: string, flags = 'r') =>
  (): void =>
    fs.closeSync(fs.openSync(path, flags))
/** Opens what is there, so that nothing of it changes. */
const overwrite = (path: string) => open(path, 'r+')
const create = (path: string) => (): void => {
  fs.writeFileSync(path, 'intruder', { flag: 'wx' })
  fs.rmSync(path)
}
const inFile = (path: string, work: (path: string) => void) => (): void => {
  try {
    work(path)
  } finally {
    fs.rmSync(path, { force: true })
  }
}
const run =
  (path: string, ...args: string[]) =>
  (): void => {
    const { error, status, signal, stderr } = spawnSync(path, args, { encoding: 'utf8', timeout: 60_000 })
    if (error) throw error
    if (status !== 0) throw Object.assign(new Error(stderr), { code: `exit ${status ?? signal}` })
  }
const runCopy = (path: string) =>
  inFile(path, () => {
    fs.copyFileSync('/usr/bin/true', path)
    fs.chmodSync(path, 0o755)
    run(path)()
  })

const load = (path: string): void => process.dlopen({ exports: {} }, path)
/** One message of netlink with its header. */
const message = (type: number, flags: number, body: Buffer): Buffer => {
  const bytes = Buffer.concat([Buffer.alloc(16), body])
  bytes.writeUInt32LE(bytes.length, 0)
  bytes.writeUInt16LE(type, 4)
  bytes.writeUInt16LE(flags, 6)
  bytes.writeUInt32LE(1, 8)
  return bytes
}
const [REQUEST, ASK] = [0x1, 0x5]
const linkUp = message(16, ASK, Buffer.from([0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]))
const [INET, TABLES] = [1, 10 << 8]
const tableName = Buffer.from([13, 0, 1, 0, ...text('intruder'), 0, 0, 0])
const table = (what: number, flags: number): Buffer =>
  message(TABLES | what, flags, Buffer.concat([Buffer.from([INET, 0, 0, 0]), tableName]))
const batch = (type: number): Buffer => message(type, REQUEST, Buffer.from([0, 0, 0, 10]))
const tableMadeAndGone = Buffer.concat([batch(16), table(0, 0x405), table(2, REQUEST), batch(17)])

const errorName = (errno: number): string =>
  Object.entries(constants.errno).find(([, value]) => value === errno)?.[0] ?? `${errno}`

export function attempts({ panel, system }: Powers, { own, othersFolder, othersProcess, disk, library }: Place) {
  const call = (name: string, ...values: (number | Buffer)[]): number => system.call(system[name], ...values)
  const inMemory = (path: string): number => {
    const fd = call('memfd_create', text('intruder'), 0)
    fs.writeSync(fd, fs.readFileSync(path))
    return fd
  }
  const loadCopy = (path: string) =>
    inFile(path, () => {
      fs.copyFileSync(library, path)
      load(path)
    })
  const ask = (protocol: number, request: Buffer) => (): void => {
    const socket = panel.open(protocol)
    panel.send(socket, request)
    const errno = -(panel.receive(socket)?.bytes.readInt32LE(16) ?? 0)
    if (errno !== 0) throw Object.assign(new Error('netlink'), { code: errorName(errno) })
  }
  const withSocket = (family: number, type: number, protocol: number, work: (socket: number) => void) => (): void => {
    const socket = call('socket', family, type, protocol)
    try {
      work(socket)
    } finally {
      fs.closeSync(socket)
    }
  }
  const connect = (path: string) =>
    withSocket(AF_UNIX, STREAM, 0, (socket) => {
      const address = Buffer.from([AF_UNIX, 0, ...text(path)])
      call('connect', socket, address, address.length)
    })
  const listen = (port: number) =>
    withSocket(AF_INET, STREAM, 0, (socket) => {
      const address = Buffer.alloc(16)
      address.writeUInt16LE(AF_INET, 0)
      address.writeUInt16BE(port, 2)
      call('bind', socket, address, address.length)
      call('listen', socket, 1)
    })
  const memory = Buffer.alloc(8)
  /** Two struct iovec: eight bytes here, and eight of the other process. */
  const here = Buffer.alloc(16)
  const there = Buffer.alloc(16)
  for (const range of [here, there]) range.writeBigUInt64LE(BigInt(memory.length), 8)
  there.writeBigUInt64LE(4096n, 0)

  return {
    'start a shell': run('/bin/sh', '-c', 'true'),
    'start node again': run(process.execPath, '-e', '0'),
    'start nft': run('/usr/sbin/nft', '--version'),
    'start a program written to its state folder': runCopy(join(own, 'intruder')),
    'start a program written to /tmp': runCopy('/tmp/intruder'),
    'start a program written to /dev/shm': runCopy('/dev/shm/intruder'),
    'start a program that is only in memory': () => system.child(0, inMemory('/usr/bin/true')),
    'start a program by way of the dynamic loader': run('/lib64/ld-linux-x86-64.so.2', '/usr/bin/true'),
    'load a library written to its state folder': loadCopy(join(own, 'intruder.node')),
    'load a library written to /tmp': loadCopy('/tmp/intruder.node'),
    'load a library written to /dev/shm': loadCopy('/dev/shm/intruder.node'),
    'load a library that is only in memory': () => load(`/proc/self/fd/${inMemory(library)}`),

    'change a link by netlink': ask(NETLINK_ROUTE, linkUp),
    'change the ruleset by netlink': ask(NETLINK_NETFILTER, tableMadeAndGone),
    'open a raw socket': () => void panel.openIcmp(4),
    'open a packet socket': withSocket(AF_PACKET, RAW, 0, () => undefined),
    'listen on port 80': listen(80),
    'listen on port 8079': listen(8079),
    'connect to the system bus': connect('/run/dbus/system_bus_socket'),
    'connect to systemd': connect('/run/systemd/private'),

    'write to its state folder': create(join(own, 'intruder')),
    'write to the state folder of the other daemon': create(join(othersFolder, 'intruder')),
    'write into its own program': create('/usr/lib/tunnel-panel/intruder.cjs'),
    'write to the folder of the libraries': create('/usr/lib/x86_64-linux-gnu/intruder'),
    'change a program that the helper starts': overwrite('/usr/sbin/nft'),
    'write to /usr/bin': create('/usr/bin/intruder'),
    'write to /etc': create('/etc/intruder'),
    'write a unit': create('/etc/systemd/system/intruder.service'),
    'change limits.conf': overwrite('/etc/tunnel-panel/limits.conf'),
    'change panel.conf': overwrite('/etc/tunnel-panel/panel.conf'),
    'write to /root': create('/root/intruder'),
    'write to /home': create('/home/intruder'),
    'write to /boot': create('/boot/intruder'),
    'give a program the rights of its owner': inFile(join(own, 'intruder'), (path) => {
      fs.writeFileSync(path, '')
      fs.chmodSync(path, 0o4755)
    }),

    'read the state folder of the other daemon': list(othersFolder),
    'read /etc/shadow': read('/etc/shadow'),
    'read a key of sshd': read('/etc/ssh/ssh_host_ed25519_key'),
    'read /root': list('/root'),
    'read /home': list('/home'),
    'read a disk': open(disk),
    'read the memory of the host': open('/dev/mem'),
    'read the log of the kernel': open('/dev/kmsg'),

    'read the memory of the other daemon through /proc': open(`/proc/${othersProcess}/mem`),
    'read the environment of the other daemon': read(`/proc/${othersProcess}/environ`),
    'read the memory of the other daemon by a system call': () =>
      void call('process_vm_readv', othersProcess, here, 1, there, 1, 0),
    'write to the memory of the other daemon': () =>
      void call('process_vm_writev', othersProcess, here, 1, there, 1, 0),
    'trace the other daemon': () => void call('ptrace', SEIZE, othersProcess, 0, 0),
    'take an open file of the other daemon': () => {
      const process_fd = call('pidfd_open', othersProcess, 0)
      fs.closeSync(call('pidfd_getfd', process_fd, 0, 0))
    },
    'send a signal to the other daemon': () => void process.kill(othersProcess, 0),
    'send a signal to the first process': () => void process.kill(1, 0),
    'read the environment of the first process': read('/proc/1/environ'),

    'switch forwarding': overwrite('/proc/sys/net/ipv4/ip_forward'),
    'change what the kernel runs': overwrite('/proc/sys/kernel/core_pattern'),
    'switch what /sys switches': overwrite('/sys/module/kernel/parameters/panic'),
    'load a module': () => void call('finit_module', -1, text(''), 0),
    'mount a file system': () => {
      call('mount', text('none'), text('/tmp'), text('tmpfs'), 0, text(''))
      call('umount2', text('/tmp'), 0)
    },
    'make a user namespace': () => system.child(NEW_USER, -1),
    'make a network namespace': () => system.child(NEW_NETWORK, -1),
    'change its root folder': () => void call('chroot', text('/')),
    'make a device': inFile(join(own, 'device'), (path) => void call('mknodat', -100, text(path), 0o020600, 0x103)),
    'load a program of BPF': () => void call('bpf', 0, Buffer.alloc(128), 128),
    'use io_uring': () => fs.closeSync(call('io_uring_setup', 1, Buffer.alloc(120))),
    'use the keyring of the kernel': () => void call('add_key', text('user'), text('intruder'), memory, 8, -2),
    'count events of the processor': () => void call('perf_event_open', Buffer.alloc(128), 0, -1, -1, 0),
    'set the clock': () => {
      const now = Buffer.alloc(16)
      now.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1000)), 0)
      call('clock_settime', 0, now)
    },
    'set the name of the host': () => void call('sethostname', text(hostname()), hostname().length),
    'restart the host': () => void call('reboot', BROADCAST_MAGIC, 0, 0, 0),
    'become another user': () => {
      const before = process.geteuid?.() ?? 0
      call('setresuid', -1, before === 0 ? 1 : 0, -1)
      call('setresuid', -1, before, -1)
    },
  } satisfies Readonly<Record<string, () => void>>
}
