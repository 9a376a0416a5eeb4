// How both daemons run on this machine. As root: on the host's network, the web daemon as an unprivileged user. Else:
// the helper in namespaces of its own, where it is root over nothing but a network that nobody else sees.
import { chownSync, cpSync, mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { askOnce, isListening } from './ask-once.ts'
import type { Daemon } from './daemons.ts'
import { DAEMON_ENVIRONMENT, HELPER_FLAGS, WEB_FLAGS } from './node-flags.ts'

const isRoot = process.getuid?.() === 0

/** No account has this number (it is of systemd's dynamic range), so what runs under it owns nothing else. */
const WEB_UID = 61_184

const stateDir =
  process.env['PANEL_STATE_DIR'] ??
  (isRoot
    ? '/var/lib/tunnel-panel-try'
    : join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local/state'), 'tunnel-panel-try'))
const webState = join(stateDir, 'web')
const program = join(stateDir, 'program')
const socket = process.env['PANEL_HELPER_SOCKET'] ?? join(stateDir, 'helper.sock')

/** The daemons run from a copy, since the web daemon's user may not be able to look into the folder of a clone. */
export function layOut(bundle: string): void {
  for (const folder of [stateDir, webState, program]) mkdirSync(folder, { recursive: true, mode: 0o755 })
  if (isRoot) chownSync(webState, WEB_UID, WEB_UID)
  cpSync(bundle, program, { recursive: true })
}

export function helper(): Daemon {
  const node = [process.execPath, ...HELPER_FLAGS, join(program, 'helper.cjs')]
  const own = { ...DAEMON_ENVIRONMENT, PANEL_HELPER_SOCKET: socket, PANEL_HELPER_STATE_DIR: join(stateDir, 'helper') }
  const daemon = { name: 'helper', isReady: () => isListening(socket) }
  if (isRoot) return { ...daemon, command: node, env: { ...own, PANEL_HELPER_GROUP: `${WEB_UID}` } }
  const scratch = {
    PANEL_UNIT_DIR: join(stateDir, 'units'),
    PANEL_NETWORKD_DIR: join(stateDir, 'network'),
    PANEL_SYSCTL_DIR: join(stateDir, 'sysctl.d'),
    PANEL_LIMITS_FILE: join(stateDir, 'limits.conf'),
  }
  // A network with one host in it, so that endpoints, routes and MTUs have something to be found on.
  const network =
    'ip link set lo up; ip link add try0 type veth peer name try1 && ip link set try1 up && ip address add 192.0.2.1/24 dev try0 && ip link set try0 up && ip route add default via 192.0.2.254; exec setpriv --pdeathsig TERM "$@"'
  return {
    ...daemon,
    command: ['unshare', '--user', '--map-root-user', '--net', 'sh', '-c', network, 'sh', ...node],
    env: { ...own, ...scratch },
  }
}

export function web(more: NodeJS.ProcessEnv = {}): Daemon {
  const node = [process.execPath, ...WEB_FLAGS, join(program, 'web.cjs')]
  return {
    name: 'web',
    command: isRoot ? asNobody(node) : node,
    env: { ...DAEMON_ENVIRONMENT, PANEL_STATE_DIR: webState, PANEL_HELPER_SOCKET: socket, ...more },
    isReady: (output) => Promise.resolve(output.includes('The panel is at')),
  }
}

// The kernel drops the parent-death signal (daemons.ts) when a process changes its user, so it is set again after the
// change; likewise above.
function asNobody(command: readonly string[]): string[] {
  return [
    'setpriv',
    '--pdeathsig=TERM',
    `--reuid=${WEB_UID}`,
    `--regid=${WEB_UID}`,
    '--clear-groups',
    '--bounding-set=-all',
    '--inh-caps=-all',
    '--ambient-caps=-all',
    '--no-new-privs',
    ...command,
  ]
}

/** Says plainly what this kernel cannot do; the panel goes on and says the same in its answers. */
export async function sayWhatIsMissing(): Promise<void> {
  const { link_kinds } = await askOnce(socket, 'host.probe', { parts: ['link_kinds'] })
  const missing = (link_kinds ?? []).filter((kind) => !kind.supported)
  if (missing.length > 0)
    console.log(
      `This kernel cannot make ${missing.map((m) => m.kind).join(', ')}: ${missing[0]?.detail}. Tunnels cannot be created here; "npm run lab" has a kernel that can.`,
    )
}

export function sayWhereStateIs(): void {
  console.log(
    `State is in ${stateDir}${isRoot ? '' : '. The helper runs in a network namespace of its own; this host is not touched'}.`,
  )
}
