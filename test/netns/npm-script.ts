// `npm start` and `npm run dev`, run in a network of their own, so that neither the host nor another panel on it is
// concerned.
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'
import { ROOT } from '../../packaging/build/build.ts'

export class NpmScript {
  readonly process: ChildProcess
  readonly #folder = mkdtempSync(join(tmpdir(), 'panel-script-'))
  #output = ''

  constructor(command: string) {
    chmodSync(this.#folder, 0o755) // the web daemon's user looks into it
    this.process = spawn('unshare', ['--net', 'sh', '-c', `ip link set lo up; exec ${command}`], {
      cwd: ROOT,
      env: {
        ...process.env,
        PANEL_STATE_DIR: this.#folder,
        PANEL_UNIT_DIR: join(this.#folder, 'units'),
        PANEL_NETWORKD_DIR: join(this.#folder, 'network'),
        PANEL_SYSCTL_DIR: join(this.#folder, 'sysctl'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    for (const stream of [this.process.stdout, this.process.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.#output += text))
  }

  /** Waits until the script has written this. */
  async writes(words: RegExp): Promise<void> {
    await eventually(
      () => words.test(this.#output) || this.process.exitCode !== null,
      () => this.#output,
    )
    assert.match(this.#output, words)
  }

  /** The process ids of the daemons: they run from a copy in the folder of this script. */
  daemons(): string[] {
    const program = `${this.#folder}/program/`
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && commandLine(name).includes(program))
  }

  /** Waits until the daemons are as expected. */
  async daemonsBecome(areExpected: (pids: readonly string[]) => boolean): Promise<void> {
    await eventually(
      () => areExpected(this.daemons()),
      () => `running: ${this.daemons().map(commandLine).join('\n')}\n${this.#output}`,
    )
  }

  /** What a GET in the script's network answers. */
  async get(url: string): Promise<{ status: number; body: string }> {
    const program = `fetch('${url}').then(async (r) => console.log(JSON.stringify({ status: r.status, body: await r.text() })))`
    const inside = ['--target', `${this.process.pid}`, '--net', process.execPath, '-e', program]
    return JSON.parse((await promisify(execFile)('nsenter', inside)).stdout) as { status: number; body: string }
  }

  /** Like `get`, once the answer has this status: a daemon that is being restarted is away for a moment. */
  async answers(url: string, status: number): Promise<string> {
    let answer = await this.get(url)
    await eventually(
      async () => answer.status === status || (answer = await this.get(url)).status === status,
      () => `${url} answers ${answer.status}: ${answer.body}\n${this.#output}`,
      { pause_ms: 100 },
    )
    return answer.body
  }

  /** Sends a signal, and waits until the script and both daemons are gone. */
  async endsAfter(send: () => void): Promise<void> {
    const ended = once(this.process, 'exit')
    send()
    await ended
    await this.daemonsBecome((pids) => pids.length === 0)
  }

  remove(): void {
    this.process.kill('SIGKILL')
    rmSync(this.#folder, { recursive: true })
  }
}

/** "" of a process that has ended meanwhile. */
export function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
