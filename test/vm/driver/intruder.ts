// What an intruder would try who has taken over a daemon: run in that daemon's own sandbox, it tells what came of each
// attempt, as JSON.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

interface Addon {
  open(protocol: number): unknown
  openIcmp(family: 4 | 6): unknown
}
const addon = createRequire(import.meta.url)(join(__dirname, 'panel.node')) as Addon

/** Throws what the system says where it refuses. */
const program =
  (path: string, ...args: string[]) =>
  (): void => {
    const { error, status, stderr } = spawnSync(path, args, { encoding: 'utf8', timeout: 20_000 })
    if (error) throw error
    if (status !== 0)
      throw Object.assign(new Error(stderr), { code: `exit ${status}: ${stderr.trim().split('\n').at(-1)}` })
  }
const read = (path: string) => (): void => void readFileSync(path)
const list = (path: string) => (): void => void readdirSync(path)
const write =
  (path: string, text = 'intruder') =>
  (): void =>
    writeFileSync(path, text)

const ATTEMPTS: Readonly<Record<string, Readonly<Record<string, () => void>>>> = {
  web: {
    'start a shell': program('/bin/sh', '-c', 'true'),
    'start a tool': program('/usr/bin/id'),
    'start node again': program(process.execPath, '-e', '0'),
    'open a netlink socket': () => void addon.open(0),
    'open a raw socket': () => void addon.openIcmp(4),
    'become root': () => process.setuid?.(0),
    'read /home': list('/home'),
    'read /root': list('/root'),
    'read the state of the helper': list('/var/lib/tunnel-panel-helper'),
    'read /etc/shadow': read('/etc/shadow'),
    'see the environment of other processes': read('/proc/1/environ'),
    'write into /etc': write('/etc/intruder'),
    'write into its own program': write('/usr/lib/tunnel-panel/intruder.cjs'),
    'change its configuration': write('/etc/tunnel-panel/panel.conf'),
    'write a unit': write('/etc/systemd/system/intruder.service'),
    'switch forwarding': write('/proc/sys/net/ipv4/ip_forward', '1'),
    'find the system bus': list('/run/dbus'),
    'read a disk': read('/dev/vda'),
    'read the log of the kernel': read('/dev/kmsg'),
    "stop another user's process": () => process.kill(1, 'SIGTERM'),
  },
  helper: {
    'read /home': list('/home'),
    'read /root': list('/root'),
    'read the store of the web daemon': list('/var/lib/tunnel-panel'),
    'add a user': write('/etc/passwd.intruder'),
    'write into /usr': write('/usr/bin/intruder'),
    'write into its own program': write('/usr/lib/tunnel-panel/intruder.cjs'),
    'plant a job': write('/etc/cron.d/intruder'),
    'change what the kernel runs': write('/proc/sys/kernel/core_pattern', '|/tmp/x'),
    'switch what the kernel does through /sys': write('/sys/kernel/mm/transparent_hugepage/enabled', 'never'),
    'read a disk': read('/dev/vda'),
    'read memory': read('/dev/mem'),
    'see the environment of other processes': read('/proc/1/environ'),
    'mount a file system': program('/bin/mount', '-t', 'tmpfs', 'none', '/tmp'),
    'make a namespace of its own': program('/usr/bin/unshare', '--mount', 'true'),
    'load a module': program('/sbin/modprobe', 'dummy'),
    'set the clock': program('/bin/date', '-s', '2001-01-01'),
    'set the name of the host': program('/bin/hostname', 'intruder'),
    'become another user': () => process.setuid?.(1),
    'give a program the rights of root': program('/bin/chmod', 'u+s', '/etc/systemd/system'),
    'trace another process': program('/usr/bin/strace', '-p', '1', '-o', '/dev/null'),
  },
}

/** Forbids programs, like the web daemon before it listens. */
const forbid = (): void =>
  (createRequire(import.meta.url)('/usr/lib/tunnel-panel/service.node') as { forbidPrograms(): void }).forbidPrograms()

const whose = process.argv[2] ?? ''
if (whose === 'web') forbid()
const reported = Object.entries(ATTEMPTS[whose] ?? {}).map(([name, attempt]) => {
  try {
    attempt()
    return [name, 'done']
  } catch (refusal) {
    return [name, (refusal as NodeJS.ErrnoException).code ?? String(refusal)]
  }
})
process.stdout.write(`${JSON.stringify(Object.fromEntries(reported))}\n`)
