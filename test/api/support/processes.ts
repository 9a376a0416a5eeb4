// The web daemon as a process of its own, to be killed, over a helper in the process of the test, whose host and clock
// are the test's.
import { spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dispatcherFor } from '@panel/root-helper/dispatch.ts'
import { handlersFor, type Handlers, type HelperDeps } from '@panel/root-helper/handlers.ts'
import { serverFor } from '@panel/root-helper/server.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { inProcessHelper, noJournal } from '../../support/in-process-helper.ts'
import { shipped } from '../../support/shipped.ts'
import { AS_NOBODY, privateToNobody } from './as-nobody.ts'
import { Client } from './client.ts'

export class Processes {
  readonly kernel = new FakeKernel()
  /** That of windows. */
  readonly clock = new FakeClock()
  readonly #folder = mkdtempSync(join(tmpdir(), 'panel-processes-'))
  readonly windows: HelperDeps['windows']
  readonly #helper: Server
  #daemon: ChildProcess | null = null

  /** `around` may stand between what is requested and what root does. */
  constructor(around: (handlers: Handlers) => Handlers = (handlers) => handlers) {
    const { deps } = inProcessHelper(this.kernel, noJournal(), this.clock)
    this.windows = deps.windows
    this.#helper = serverFor(dispatcherFor(around(handlersFor(deps))), () => ({}))
  }

  get env(): NodeJS.ProcessEnv {
    return {
      PATH: process.env['PATH'],
      PANEL_STATE_DIR: this.#folder,
      PANEL_HELPER_SOCKET: this.#socket,
      PANEL_LISTEN_PORT: '0',
    }
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#helper.listen(this.#socket, resolve))
    chmodSync(this.#socket, 0o666)
    privateToNobody(this.#folder)
  }

  /** Starts the daemon, and gives a client of it with the cookies of another one. */
  async start({ cookies }: Pick<Client, 'cookies'> = { cookies: new Map() }): Promise<Client> {
    const client = new Client(await this.#address())
    for (const [name, value] of cookies) client.cookies.set(name, value)
    return client
  }

  /** Resolves once it is gone. */
  async kill(): Promise<void> {
    const daemon = this.#daemon
    if (daemon === null || daemon.exitCode !== null || daemon.signalCode !== null) return
    const ended = new Promise((resolve) => daemon.once('close', resolve))
    daemon.kill('SIGKILL')
    await ended
  }

  async close(): Promise<void> {
    await this.kill()
    this.#helper.close()
    rmSync(this.#folder, { recursive: true })
  }

  get #socket(): string {
    return join(this.#folder, 'helper.sock')
  }

  #address(): Promise<string> {
    return new Promise((resolve, reject) => {
      const [program = '', ...args] = [...AS_NOBODY, ...shipped('web')]
      const child = spawn(program, args, { env: this.env })
      this.#daemon = child
      child.stdout.once('data', (line) => resolve(String(line).trim().split(' ').at(-1) ?? ''))
      child.once('exit', (code) => reject(new Error(`It ended with ${code}`)))
    })
  }
}
