// The shipped helper in a network namespace of its own, on this machine's kernel, against a far end that means harm.
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { eventually } from '../support/eventually.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { BUNDLE, ROOT } from '../../packaging/build/build.ts'
import { repetitions } from '../support/counts.ts'
import { HELPER_FLAGS } from '../../packaging/run/node-flags.ts'

const run = promisify(execFile)
const REQUESTS = repetitions('PANEL_SOCKET_REQUESTS')
const folder = mkdtempSync(join(tmpdir(), 'panel-netns-'))
const socket = join(folder, 'helper.sock')
const env = {
  ...process.env,
  PANEL_HELPER_SOCKET: socket,
  PANEL_UNIT_DIR: join(folder, 'units'),
  PANEL_NETWORKD_DIR: join(folder, 'network'),
  PANEL_SYSCTL_DIR: join(folder, 'sysctl'),
  PANEL_HELPER_STATE_DIR: join(folder, 'state'),
}

describe('The helper in a network namespace', function () {
  let helper: ChildProcess

  before(async () => {
    helper = spawn('unshare', ['--net', process.execPath, ...HELPER_FLAGS, join(BUNDLE, 'helper.cjs')], {
      env,
      stdio: 'ignore',
    })
    await eventually(() => existsSync(socket), 'the helper listens')
  })
  after(() => helper.kill('SIGKILL'))

  const picture = async (): Promise<string> => {
    const inside = (...command: string[]) => run('nsenter', ['-t', `${helper.pid}`, '-n', ...command])
    return (
      (await inside('ip', '-d', 'address', 'show')).stdout +
      (await inside('ip', 'route', 'show', 'table', 'all')).stdout +
      (await run('find', [folder, '-type', 'f'])).stdout
    )
  }

  it(`lives through ${REQUESTS} mutated requests, refuses them, and leaves the kernel as it was`, async () => {
    const before = await picture()
    const { stdout } = await run(
      join(ROOT, 'node_modules/.bin/tsx'),
      [join(ROOT, 'test/support/socket-fuzz.ts'), socket, `${REQUESTS}`],
      { maxBuffer: 1 << 20 },
    )
    const counted = JSON.parse(stdout) as { sent: number; refused: number; internal: number }
    assert.deepEqual([counted.sent, counted.internal], [REQUESTS, 0])
    assert.ok(counted.refused > REQUESTS * 0.9, stdout)
    assert.equal(await picture(), before)
    assert.deepEqual(await askOnce(socket, 'tunnel.probe', { interface_names: [] }), { tunnels: [] })
    assert.equal(helper.exitCode, null)
  })

  it('says in the kernel’s own words which kinds of link it cannot make, and refuses a change that needs one', async () => {
    const { link_kinds } = await askOnce(socket, 'host.probe', { parts: ['link_kinds'] })
    assert.deepEqual(
      link_kinds?.map(({ kind }) => kind),
      ['gre', 'gretap', 'ip6gre', 'ip6gretap'],
    )
    for (const { supported, detail } of link_kinds) assert.ok(supported || detail.length > 0)
  })
})
