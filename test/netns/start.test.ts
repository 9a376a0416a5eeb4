// npm start under a supervisor: whatever ends what the supervisor started, no daemon is left.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from '../../packaging/build/build.ts'

const READY_MS = 120_000
const GONE_MS = 15_000

describe('npm start', function () {
  this.timeout(READY_MS + 2 * GONE_MS)
  let folder: string
  let npm: ChildProcess

  /** The command lines of the daemons: they run from a copy in the folder of this test. */
  const daemons = (): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandLine)
      .filter((line) => line.includes(`${folder}/program/`))

  // In a network of its own, so that neither the host nor another panel on it is concerned.
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'panel-start-'))
    chmodSync(folder, 0o755) // the web daemon's user looks into it
    npm = spawn('unshare', ['--net', 'sh', '-c', 'ip link set lo up; exec npm start'], {
      cwd: ROOT,
      env: {
        ...process.env,
        PANEL_STATE_DIR: folder,
        PANEL_UNIT_DIR: join(folder, 'units'),
        PANEL_NETWORKD_DIR: join(folder, 'network'),
        PANEL_SYSCTL_DIR: join(folder, 'sysctl'),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    let output = ''
    for (const stream of [npm.stdout, npm.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text))
    for (const deadline = Date.now() + READY_MS; !/The panel is at/.test(output); await sleep(100))
      assert.ok(Date.now() < deadline && npm.exitCode === null, output)
    assert.equal(daemons().length, 2)
  })
  afterEach(() => {
    npm.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  const endsBoth = async (send: () => void): Promise<void> => {
    const ended = once(npm, 'exit')
    send()
    await ended
    for (const deadline = Date.now() + GONE_MS; daemons().length > 0; await sleep(100))
      assert.ok(Date.now() < deadline, `still there: ${daemons().join('\n')}`)
  }

  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGKILL'] as const)
    it(`ends both daemons when the process that the supervisor started gets ${signal}`, () =>
      endsBoth(() => npm.kill(signal)))

  it('ends both daemons at Ctrl-C, which goes to all processes of the terminal', () =>
    endsBoth(() => process.kill(-(npm.pid ?? 0), 'SIGINT')))
})

/** "" of a process that has ended meanwhile. */
function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
