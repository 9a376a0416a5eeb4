// The daemon as a process whose state is in a folder of the test's choice, without the refusal to run as root: a disk
// that is mounted for one test belongs to its root alone.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { program } from '../../support/programs.ts'
import { listenAsHelper } from './helper-socket.ts'

const PROGRAM = new URL('daemon-program.ts', import.meta.url)

export interface DaemonProcess {
  readonly base: string
  readonly pid: number
  readonly log: () => string
  readonly stop: () => Promise<void>
  readonly kill: () => Promise<void>
}

/** Starts the daemon with a helper of a fresh host, unless `more` names another one: a first start needs its answer. */
export async function startDaemonIn(folder: string, more: Record<string, string> = {}): Promise<DaemonProcess> {
  const sockets = mkdtempSync(join(tmpdir(), 'panel-helper-'))
  const helper = await listenAsHelper(join(sockets, 'helper.sock'))
  const endHelper = (): void => {
    helper.close()
    rmSync(sockets, { recursive: true })
  }
  const env = {
    PATH: process.env['PATH'],
    PANEL_STATE_DIR: folder,
    PANEL_HELPER_SOCKET: helper.path,
    PANEL_LISTEN_PORT: '0',
    ...more,
  }
  const child = spawn(process.execPath, [await program(PROGRAM)], { env })
  let [output, log] = ['', '']
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (log += String(chunk)))
  while (!output.includes('\n')) {
    if (child.exitCode !== null) {
      endHelper()
      throw new Error(`The daemon has ended: ${log}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ended = once(child, 'exit')
    if (child.exitCode === null && child.kill(signal)) await ended
    endHelper()
  }
  return {
    pid: child.pid ?? NaN,
    base: output.trim().split(' ').at(-1) ?? '',
    log: () => log,
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}
