// A fresh network namespace with a process in it that drives our Links; `ip` runs in it beside.
import { execFileSync, spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import type { KernelLinks } from '@panel/root-helper/kernel/link/links.ts'
import { program } from '../support/programs.ts'
import { namespaceOf } from './own-namespace.ts'

const DRIVER = await program(new URL('links-driver.ts', import.meta.url))

type Answer = { id: number; result?: unknown; error?: { code?: string; message: string } }
type Waiter = { resolve: (value: unknown) => void; reject: (error: Error) => void }

export class LinksNamespace {
  readonly links: KernelLinks
  private readonly child: ChildProcessByStdio<Writable, Readable, null>
  private readonly waiters = new Map<number, Waiter>()
  private next = 0

  /** Another driver answers calls of its own. */
  constructor(driver = DRIVER) {
    // unshare becomes node, so the child's own number leads to the namespace.
    this.child = spawn('unshare', ['--net', process.execPath, driver], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    createInterface({ input: this.child.stdout }).on('line', (line) => this.take(JSON.parse(line) as Answer))
    this.child.on('exit', () => this.waiters.forEach(({ reject }) => reject(new Error('the driver has ended'))))
    this.links = new Proxy(
      {},
      {
        get:
          (_, method) =>
          (...args: unknown[]) =>
            this.call(String(method), ...args),
      },
    ) as KernelLinks
  }

  call(method: string, ...args: unknown[]): Promise<unknown> {
    const id = ++this.next
    return new Promise((resolve, reject) => {
      this.waiters.set(id, { resolve, reject })
      this.child.stdin.write(`${JSON.stringify({ id, method, args })}\n`)
    })
  }

  private take({ id, result, error }: Answer): void {
    const waiter = this.waiters.get(id)
    this.waiters.delete(id)
    if (error) waiter?.reject(new KernelError(error.code ?? '', error.message))
    else waiter?.resolve(result)
  }

  run(program: string, args: readonly string[], input?: string): string {
    return execFileSync('nsenter', [`--net=${namespaceOf(this.child)}`, program, ...args], {
      encoding: 'utf8',
      maxBuffer: 1 << 27,
      ...(input === undefined ? {} : { input }),
    })
  }

  ip(command: string): string {
    return this.run('ip', command.split(' '))
  }

  /** Runs commands of `ip` in one process. */
  batch(...commands: readonly string[]): void {
    this.run('ip', ['-batch', '-'], `${commands.join('\n')}\n`)
  }

  json<T>(command: string): T {
    return JSON.parse(this.ip(command) || '[]') as T
  }

  async close(): Promise<void> {
    this.child.stdin.end()
    if (this.child.exitCode === null) await once(this.child, 'exit')
  }
}
