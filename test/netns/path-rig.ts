// Three namespaces in a row, near - router - far, with the real helper in the near one. The last link is smaller than
// the first.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectHelper, type HelperClient } from '@panel/web-daemon/platform/helper/client.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { eventually } from '../support/eventually.ts'
import { program } from '../support/programs.ts'

const HELPER = await program(new URL('../../root-helper/main.ts', import.meta.url))

export const FAR = '10.9.0.2'
export const FAR_V6 = 'fd09::2'
export const ROUTER = '10.1.0.1'
export const ROUTER_FAR_SIDE = '10.9.0.1'
export const FAR_MTU = 1400

export class Namespace {
  readonly child: ChildProcess

  constructor(program: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    // unshare becomes the program, so the child's own number leads to the namespace.
    this.child = spawn('unshare', ['--net', program, ...args], {
      stdio: ['ignore', 'ignore', process.env['PANEL_SHOW_LOG'] ? 'inherit' : 'ignore'],
      env,
    })
  }

  run(program: string, args: readonly string[], input?: string): string {
    return execFileSync('nsenter', [`--net=/proc/${this.child.pid}/ns/net`, program, ...args], {
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    })
  }

  ip(...commands: readonly string[]): void {
    this.run('ip', ['-batch', '-'], `${commands.join('\n')}\n`)
  }

  /** One table in the place of the one before; no rules take it away. */
  filter(...rules: readonly string[]): void {
    this.run(
      'nft',
      ['-f', '-'],
      `table inet test\ndelete table inet test\n${rules.length === 0 ? '' : `table inet test {\n${rules.join('\n')}\n}\n`}`,
    )
  }

  async close(): Promise<void> {
    this.child.kill('SIGKILL')
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit')
  }
}

export class PathRig {
  readonly #folder = mkdtempSync(join(tmpdir(), 'panel-path-'))
  readonly #socket = join(this.#folder, 'helper.sock')
  readonly near = new Namespace(process.execPath, [HELPER], {
    ...process.env,
    PANEL_HELPER_SOCKET: this.#socket,
    PANEL_UNIT_DIR: join(this.#folder, 'units'),
    PANEL_NETWORKD_DIR: join(this.#folder, 'networkd'),
    PANEL_SYSCTL_DIR: join(this.#folder, 'sysctl'),
    PANEL_HELPER_STATE_DIR: join(this.#folder, 'state'),
  })
  readonly router = new Namespace('sleep', ['infinity'])
  readonly far = new Namespace('sleep', ['infinity'])
  #client: HelperClient | null = null

  get client(): HelperClient {
    if (!this.#client) throw new Error('The rig is not open')
    return this.#client
  }

  async open(): Promise<void> {
    await eventually(() => existsSync(this.#socket), 'the helper listens')
    this.#client = connectHelper(this.#socket, makeLogger({ write: () => undefined }))
    const { router, near, far } = this
    router.ip(
      'link set lo up',
      `link add near0 type veth peer name eth0 netns ${near.child.pid}`,
      `link add far0 mtu ${FAR_MTU} type veth peer name eth0 mtu ${FAR_MTU} netns ${far.child.pid}`,
      `addr add ${ROUTER}/24 dev near0`,
      `addr add ${ROUTER_FAR_SIDE}/24 dev far0`,
      'addr add fd01::1/64 dev near0 nodad',
      'addr add fd09::1/64 dev far0 nodad',
      'link set near0 up',
      'link set far0 up',
    )
    router.run('sysctl', ['-qw', 'net.ipv4.ip_forward=1', 'net.ipv6.conf.all.forwarding=1'])
    near.ip(
      'link set lo up',
      'addr add 10.1.0.2/24 dev eth0',
      'addr add 10.1.0.3/24 dev eth0',
      'addr add fd01::2/64 dev eth0 nodad',
      'link set eth0 up',
      `route add default via ${ROUTER}`,
      'route add ::/0 via fd01::1',
    )
    far.ip(
      'link set lo up',
      `addr add ${FAR}/24 dev eth0`,
      'addr add fd09::2/64 dev eth0 nodad',
      'link set eth0 up',
      `route add default via ${ROUTER_FAR_SIDE}`,
      'route add ::/0 via fd09::1',
    )
    for (const address of [FAR, FAR_V6]) await this.#reach(address)
  }

  /** IPv6 takes a while until its routers are routers. */
  async #reach(target_address: string): Promise<void> {
    const params = {
      interface_name: '',
      source_address: '',
      target_address,
      count: 1,
      interval_ms: 10,
      timeout_ms: 200,
      packet_size: 56,
      is_dont_fragment: false,
    }
    const { signal } = new AbortController()
    await eventually(
      async () => (await this.client.stream('path.ping', params, () => undefined, signal)).received === 1,
      `${target_address} is reached`,
    )
  }

  /** What the kernel remembers of paths, and what a test has put in the way. */
  clear(): void {
    for (const namespace of [this.near, this.router, this.far]) namespace.filter()
    this.near.run('ip', ['route', 'flush', 'cache'])
    this.near.run('ip', ['-6', 'route', 'flush', 'cache'])
  }

  async close(): Promise<void> {
    this.#client?.close()
    await Promise.all([this.near.close(), this.router.close(), this.far.close()])
  }
}
