// Three namespaces in a row, client - relay - servers, with the real helper in the middle one, queried over its socket.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { IN_ROTATION, type RelayCounters, type RelayRule } from '@panel/shared/ruleset/model.ts'
import type { Result } from '@panel/shared/rpc/methods.ts'
import { eventually } from '../support/eventually.ts'
import { askOnce, isListening } from '../../packaging/run/ask-once.ts'
import { exampleRule } from '../support/example-rule.ts'
import { program } from '../support/programs.ts'
import { FaultyTools } from './faulty-tools.ts'
import { namespaceOf } from './own-namespace.ts'
import type { PanelMethods } from './panel-driver.ts'
import type { PeerMethods } from './relay-peer.ts'

export const [HELPER, PEER, PANEL] = await Promise.all(
  ['../../root-helper/main.ts', 'relay-peer.ts', 'panel-driver.ts'].map((path) =>
    program(new URL(path, import.meta.url)),
  ) as [Promise<string>, Promise<string>, Promise<string>],
)

export const CLIENT = '10.1.0.2'
export const CLIENT_TOO = '10.1.0.3'
export const RELAY = '10.1.0.1'
export const RELAY_TOO = '10.1.0.9'
export const RELAY_FAR = '10.9.0.1'
export const SERVERS = ['10.9.0.2', '10.9.0.3', '10.9.0.4'] as const

/** A rule from a port of the relay, 1000 and its id, to port 80 of the first server. */
export const ruleOfRig = (route_rule_id: number, fields: Partial<RelayRule> = {}): RelayRule =>
  exampleRule({
    route_rule_id,
    sort_order: route_rule_id,
    bind_address: RELAY,
    bind_port: 1000 + route_rule_id,
    destinations: [{ address: SERVERS[0], port: 80, port_range_end: null, weight: 1, ...IN_ROTATION }],
    ...fields,
  })

type Calls<T> = {
  [M in keyof T]: T[M] extends (...args: infer A) => infer R ? (...args: A) => Promise<Awaited<R>> : never
}

export class Namespace {
  readonly child: ChildProcess
  /** `within` is run before it, as the words of a command that ends with what it is to become. */
  constructor(args: readonly string[], env: NodeJS.ProcessEnv = process.env, within: readonly string[] = []) {
    // unshare becomes node, so the child's own number leads to the namespace.
    this.child = spawn('unshare', ['--net', ...within, process.execPath, ...args], {
      stdio: ['pipe', 'pipe', process.env['PANEL_SHOW_LOG'] ? 'inherit' : 'ignore'],
      env,
    })
  }

  get netns(): string {
    return namespaceOf(this.child)
  }

  run(program: string, args: readonly string[], input?: string): string {
    return execFileSync('nsenter', [`--net=${this.netns}`, program, ...args], {
      encoding: 'utf8',
      maxBuffer: 1 << 27,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    })
  }

  nft(text: string): string {
    return this.run('nft', ['-f', '-'], text)
  }

  batch(...commands: readonly string[]): void {
    this.run('ip', ['-batch', '-'], `${commands.join('\n')}\n`)
  }

  async close(): Promise<void> {
    this.child.kill('SIGKILL')
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit')
  }
}

/** Calls of what runs in a child, as lines to it and from it. */
export function callsOf<M>(child: ChildProcess): Calls<M> {
  const waiting = new Map<number, { resolve: (result: unknown) => void; reject: (error: Error) => void }>()
  let next = 0
  createInterface({ input: child.stdout! }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line) as { id: number; result: unknown; error?: string }
    if (error === undefined) waiting.get(id)?.resolve(result)
    else waiting.get(id)?.reject(new Error(error))
    waiting.delete(id)
  })
  const call = (method: string, args: unknown[]): Promise<unknown> => {
    const id = ++next
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      child.stdin?.write(`${JSON.stringify({ id, method, args })}\n`)
    })
  }
  return new Proxy(
    {},
    {
      get:
        (_, method) =>
        (...args: unknown[]) =>
          call(String(method), args),
    },
  ) as Calls<M>
}

export class Peer extends Namespace {
  readonly calls: Calls<PeerMethods>
  constructor() {
    super([PEER])
    this.calls = callsOf(this.child)
  }
}

export class RelayRig {
  readonly client = new Peer()
  readonly servers = new Peer()
  readonly folder = mkdtempSync(join(tmpdir(), 'panel-relay-'))
  readonly socket = join(this.folder, 'helper.sock')
  /** The store of a panel that is kept. */
  readonly store = join(this.folder, 'panel.db')
  readonly relay: Namespace
  /** One that came after the first, in the first's namespace. */
  #next: ChildProcess | null = null
  #panel: ChildProcess | null = null

  readonly #settings: NodeJS.ProcessEnv

  /** Null of a rig whose programs cannot fail. */
  readonly #tools: FaultyTools | null

  /** The settings are the helper's own. `canFail`: so are its programs, which `tools` makes fail. */
  constructor(settings: NodeJS.ProcessEnv = {}, { canFail = false }: { readonly canFail?: boolean } = {}) {
    this.#settings = settings
    this.#tools = canFail ? new FaultyTools(this.folder) : null
    this.relay = new Namespace([HELPER], this.#environment(), this.#tools?.within)
  }

  get tools(): FaultyTools {
    if (!this.#tools) throw new Error('The programs of this rig cannot fail')
    return this.#tools
  }

  #environment(): NodeJS.ProcessEnv {
    return {
      ...process.env,
      ...this.#settings,
      PANEL_HELPER_SOCKET: this.socket,
      PANEL_UNIT_DIR: join(this.folder, 'units'),
      PANEL_NETWORKD_DIR: join(this.folder, 'networkd'),
      PANEL_SYSCTL_DIR: join(this.folder, 'sysctl'),
      PANEL_HELPER_STATE_DIR: join(this.folder, 'state'),
    }
  }

  /**
   * The web daemon's app, in the relay's namespace. With a store of its own it goes on from where the last one was
   * killed. `socket`: of what is between it and the helper.
   */
  panel({ isKept = false, socket }: { readonly isKept?: boolean; readonly socket?: string } = {}): Calls<PanelMethods> {
    const more = {
      ...(isKept && { PANEL_DRIVER_STORE: this.store }),
      ...(socket !== undefined && { PANEL_HELPER_SOCKET: socket }),
    }
    this.#panel = spawn('nsenter', [`--net=${this.relay.netns}`, process.execPath, PANEL], {
      env: { ...this.#environment(), ...more },
      stdio: ['pipe', 'pipe', process.env['PANEL_SHOW_LOG'] ? 'inherit' : 'ignore'],
    })
    return callsOf(this.#panel)
  }

  get panelPid(): number | undefined {
    return this.#panel?.pid
  }

  /** Resolves when it is gone, with its sockets and its locks. */
  async killPanel(): Promise<void> {
    const panel = this.#panel
    panel?.kill('SIGKILL')
    if (panel && panel.exitCode === null && panel.signalCode === null) await once(panel, 'exit')
  }

  /** The one that came last answers nothing from now on; restartHelper ends that. */
  stopHelper(): void {
    this.#next?.kill('SIGSTOP')
  }

  /** The first one is stopped where it stands, since its namespace goes with it. */
  async restartHelper(settings: NodeJS.ProcessEnv = {}): Promise<void> {
    await this.killHelper()
    const mounts = this.#tools ? [`--mount=/proc/${this.relay.child.pid}/ns/mnt`] : []
    this.#next = spawn('nsenter', [`--net=${this.relay.netns}`, ...mounts, process.execPath, HELPER], {
      env: { ...this.#environment(), ...settings },
      stdio: ['ignore', 'ignore', process.env['PANEL_SHOW_LOG'] ? 'inherit' : 'ignore'],
    })
    await this.#listening()
  }

  /** Resolves when the one that came last is gone, with its sockets. The first one is stopped for good. */
  async killHelper(): Promise<void> {
    this.relay.child.kill('SIGSTOP')
    const last = this.#next
    last?.kill('SIGKILL')
    if (last && last.exitCode === null && last.signalCode === null) await once(last, 'exit')
    rmSync(this.socket, { force: true })
  }

  async open(): Promise<void> {
    await Promise.all([this.client.calls.received(), this.servers.calls.received(), this.#listening()])
    // An address that is looked for twice comes a second later, and the helper then goes over what a test has planted.
    this.relay.run('sysctl', ['-qw', 'net.ipv6.conf.default.accept_dad=0'])
    this.relay.batch(
      'link set lo up',
      `link add near0 mtu 1500 type veth peer name eth0 netns ${this.client.child.pid}`,
      `link add far0 mtu 1400 type veth peer name eth0 mtu 1400 netns ${this.servers.child.pid}`,
      `addr add ${RELAY}/24 dev near0`,
      `addr add ${RELAY_TOO}/24 dev near0`,
      `addr add ${RELAY_FAR}/24 dev far0`,
      'addr add fd01::1/64 dev near0 nodad',
      'addr add fd09::1/64 dev far0 nodad',
      'link set near0 up',
      'link set far0 up',
    )
    this.client.batch(
      'link set lo up',
      `addr add ${CLIENT}/24 dev eth0`,
      `addr add ${CLIENT_TOO}/24 dev eth0`,
      'addr add fd01::2/64 dev eth0 nodad',
      'link set eth0 up',
      `route add default via ${RELAY}`,
      'route add ::/0 via fd01::1',
    )
    this.servers.batch(
      'link set lo up',
      ...SERVERS.map((address) => `addr add ${address}/24 dev eth0`),
      'addr add fd09::2/64 dev eth0 nodad',
      'addr add fd09::3/64 dev eth0 nodad',
      'link set eth0 up',
      `route add default via ${RELAY_FAR}`,
      'route add ::/0 via fd09::1',
    )
    const { state: before } = await askOnce(this.socket, 'forwarding.probe', {})
    const after = { ...before, live: { ...before.live, ipv4: true, ipv6: true } }
    await askOnce(this.socket, 'forwarding.apply', { before, after })
  }

  async #listening(): Promise<void> {
    // The file is there before anybody listens at it.
    await eventually(() => isListening(this.socket), 'the helper listens', { pause_ms: 10 })
  }

  /** Applies a change from what the host holds to these rules and leaves foreign ones alone. */
  async apply(before: readonly RelayRule[], after: readonly RelayRule[]): Promise<Result<'ruleset.apply'>> {
    return askOnce(this.socket, 'ruleset.apply', {
      before: before.length > 0 ? [...before] : null,
      after: after.length > 0 ? [...after] : null,
    })
  }

  async held(): Promise<Result<'ruleset.probe'>> {
    return askOnce(this.socket, 'ruleset.probe', { route_rule_ids: [], from_id: 0 })
  }

  /** To these rules and no others. */
  async become(...rules: readonly RelayRule[]): Promise<void> {
    const { rules: before } = await this.held()
    if (before.length + rules.length === 0) return
    const { outcome, failure } = await this.apply(before, rules)
    if (outcome !== 'applied') throw new Error(`The rules were not applied: ${failure?.message}`)
  }

  async counted(route_rule_id: number): Promise<RelayCounters> {
    const { counters } = await askOnce(this.socket, 'ruleset.counters', { route_rule_ids: [route_rule_id], from_id: 0 })
    const [found] = counters
    if (!found) throw new Error(`Rule ${route_rule_id} has no counters`)
    return found
  }

  async close(): Promise<void> {
    this.#next?.kill('SIGKILL')
    this.#panel?.kill('SIGKILL')
    await Promise.all([this.client.close(), this.servers.close(), this.relay.close()])
  }
}
