// A network namespace, a fresh one if none is given, with a process in it that drives the helper's facilities of a
// kernel; programs run in it beside.
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { program } from '../support/programs.ts'
import { namespaceOf } from './own-namespace.ts'

const DRIVER = await program(new URL('../vm/driver/kernel-driver.ts', import.meta.url))

type Answer = { id: number; result?: unknown; error?: { code?: string; message: string } }
type Waiter = { resolve: (value: unknown) => void; reject: (error: Error) => void }

export class KernelNamespace {
  readonly kernel: Kernel
  /** The folder of its unit, sysctl and state files. */
  readonly folder = mkdtempSync(join(tmpdir(), 'panel-kernel-'))
  readonly #child: ChildProcessByStdio<Writable, Readable, null>
  readonly #waiters = new Map<number, Waiter>()
  #next = 0

  /** `more` is for the driver's environment, whose backend is the active one; `netns` is there already. */
  constructor(more: NodeJS.ProcessEnv = {}, netns: string | null = null) {
    const env = {
      ...process.env,
      ...more,
      PANEL_UNIT_DIR: join(this.folder, 'units'),
      PANEL_NETWORKD_DIR: join(this.folder, 'networkd'),
      PANEL_SYSCTL_DIR: join(this.folder, 'sysctl'),
      PANEL_HELPER_STATE_DIR: join(this.folder, 'state'),
    }
    const active = more['PANEL_RULE_BACKEND'] ?? 'nftables'
    // unshare and nsenter become node, so the child's own number leads to the namespace.
    const [enter, ...net] = netns === null ? ['unshare', '--net', '--mount'] : ['nsenter', `--net=${netns}`]
    this.#child = spawn(enter, [...net, process.execPath, DRIVER], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => this.#take(JSON.parse(line) as Answer))
    this.#child.on('exit', () => this.#waiters.forEach(({ reject }) => reject(new Error('The driver has ended'))))
    const facility = (name: keyof Kernel) =>
      new Proxy(
        {},
        {
          get:
            (_, method) =>
            (...args: unknown[]) =>
              this.#call({ facility: name, method: String(method), args }),
        },
      )
    this.kernel = {
      links: facility('links'),
      ownLinks: facility('ownLinks'),
      answers: facility('answers'),
      networks: facility('networks'),
      units: facility('units'),
      rulesets: facility('rulesets'),
      ruleBackends: {
        active: { active, has_ipv6: true, reason: '' },
        recorded: () => active,
      },
      netfilter: facility('netfilter'),
      connections: facility('connections'),
      forwarding: facility('forwarding'),
    } as unknown as Kernel
  }

  #call(what: object): Promise<unknown> {
    const id = ++this.#next
    return new Promise((resolve, reject) => {
      this.#waiters.set(id, { resolve, reject })
      this.#child.stdin.write(`${JSON.stringify({ id, ...what })}\n`)
    })
  }

  #take({ id, result, error }: Answer): void {
    const waiter = this.#waiters.get(id)
    this.#waiters.delete(id)
    if (error) waiter?.reject(new KernelError(error.code ?? '', error.message))
    else waiter?.resolve(result)
  }

  /** Only once the driver has answered is the namespace there. */
  get netns(): string {
    return namespaceOf(this.#child)
  }

  run(program: string, args: readonly string[], input?: string): string {
    return execFileSync('nsenter', [`--net=${this.netns}`, program, ...args], {
      encoding: 'utf8',
      maxBuffer: 1 << 27,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    })
  }

  /** In the file systems of the driver too, which are a copy of this machine's. */
  inside(program: string, args: readonly string[]): string {
    return execFileSync('nsenter', [`--target=${this.#child.pid}`, '--net', '--mount', program, ...args], {
      encoding: 'utf8',
    })
  }

  async close(): Promise<void> {
    this.#child.stdin.end()
    if (this.#child.exitCode === null) await once(this.#child, 'exit')
  }
}
