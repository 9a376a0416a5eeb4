// The kernel's events through the shipped helper and its socket: quick, shared, and over when the last reader has gone.
import assert from 'node:assert/strict'
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LOST, type HostEvent } from '@panel/shared/events/model.ts'
import { connectHelper, type HelperClient } from '@panel/web-daemon/platform/helper/client.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { eventually } from '../support/eventually.ts'
import { exampleRule } from '../support/example-rule.ts'
import { BUNDLE } from '../../packaging/build/build.ts'

const folder = mkdtempSync(join(tmpdir(), 'panel-events-'))
const socket = join(folder, 'helper.sock')
const env = {
  ...process.env,
  PANEL_HELPER_SOCKET: socket,
  PANEL_UNIT_DIR: join(folder, 'units'),
  PANEL_SYSCTL_DIR: join(folder, 'sysctl'),
  PANEL_HELPER_STATE_DIR: join(folder, 'state'),
}
/** The helper itself follows the addresses of tunnels. */
const OWN = 1
const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"events.subscribe","params":{}}'

describe('Events of the kernel over the socket', function () {
  let helper: ChildProcess
  let client: HelperClient
  let ending: AbortController
  let received: HostEvent[]

  before(async () => {
    helper = spawn(
      'unshare',
      ['--net', process.execPath, '--disallow-code-generation-from-strings', join(BUNDLE, 'helper.cjs')],
      { env, stdio: 'ignore' },
    )
    await eventually(() => existsSync(socket), 'the helper listens')
    client = connectHelper(socket, makeLogger({ write: () => undefined }))
  })
  after(() => {
    client.close()
    helper.kill('SIGKILL')
  })
  beforeEach(() => {
    received = []
    ending = new AbortController()
  })
  afterEach(() => ending.abort())

  const ip = (...lines: string[]): string =>
    execFileSync('nsenter', ['-t', `${helper.pid}`, '-n', 'ip', '-batch', '-'], {
      input: `${lines.join('\n')}\n`,
      encoding: 'utf8',
    })
  const sysctl = (setting: string): string =>
    execFileSync('nsenter', ['-t', `${helper.pid}`, '-n', 'sysctl', '-qw', setting], { encoding: 'utf8' })
  /**
   * Netlink sockets in the namespace that have joined a group for a reader: linux/net/netlink/af_netlink.c,
   * netlink_native_seq_show.
   */
  const listening = (): number =>
    readFileSync(`/proc/${helper.pid}/net/netlink`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .filter((line) => !/^0+$/.test(line.trim().split(/\s+/)[3] ?? '')).length - OWN
  const subscribe = () =>
    client.stream('events.subscribe', {}, ({ events }) => void received.push(...events), ending.signal)

  const until = (what: () => boolean): Promise<void> =>
    eventually(what, () => `${String(what)}; received: ${JSON.stringify(received)}`, { pause_ms: 1 })
  const reported =
    (subject: HostEvent['subject'], interface_name: string, is_removal = false) =>
    (): boolean =>
      received.some(
        (event) =>
          event.subject === subject && event.interface_name === interface_name && event.is_removal === is_removal,
      )

  it('report a link that is made, changed and taken away, its addresses and settings, and routes', async () => {
    const ended = subscribe()
    await until(() => received.length === 1)
    assert.deepEqual(received, [LOST])
    const changes: [string, () => boolean][] = [
      ['link add pe0 type bridge', reported('link', 'pe0')],
      ['link set pe0 mtu 1300', reported('link', 'pe0')],
      ['addr add 10.99.0.1/30 dev pe0', reported('address', '')],
      ['addr del 10.99.0.1/30 dev pe0', reported('address', '', true)],
      ['link set pe0 up', reported('link', 'pe0')],
      ['route add 10.98.0.0/16 dev pe0', reported('route', '')],
      ['route del 10.98.0.0/16', reported('route', '', true)],
      ['netconf', reported('setting', '')],
      ['link del pe0', reported('link', 'pe0', true)],
    ]
    for (const [command, isTold] of changes) {
      received = []
      if (command === 'netconf') sysctl('net.ipv4.conf.pe0.forwarding=1')
      else ip(command)
      await until(isTold)
    }
    ending.abort()
    assert.deepEqual(await ended, {})
  })

  it('reports that another program has changed nftables, within two seconds, and not what the helper changes itself', async () => {
    const ended = subscribe()
    await until(() => received.length === 1)
    const nft = (command: string): string =>
      execFileSync('nsenter', ['-t', `${helper.pid}`, '-n', 'nft', command], { encoding: 'utf8' })
    const rules = [exampleRule()]
    // The number of the ruleset before any change must have been seen.
    await sleep(600)
    assert.equal((await client.request('ruleset.apply', { before: null, after: rules })).outcome, 'applied')
    await sleep(1200)
    assert.deepEqual(received, [LOST])
    nft('delete element inet panel relay_masquerade { 0x50000100 }')
    await until(reported('ruleset', ''))
    nft('flush ruleset')
    await until(() => received.filter(({ subject }) => subject === 'ruleset').length === 2)
    ending.abort()
    await ended
  })

  it('listens to the kernel with the first reader, and no more after the last, however he goes', async () => {
    assert.equal(listening(), 0)
    const other = connectHelper(socket, makeLogger({ write: () => undefined }))
    const lost = assert.rejects(
      other.stream('events.subscribe', {}, ({ events }) => void received.push(...events), new AbortController().signal),
    )
    const ended = subscribe()
    await until(() => received.length === 2)
    assert.equal(listening(), 1)
    ending.abort()
    await ended
    other.close()
    await lost
    await until(() => listening() === 0)
    const reader = spawn('socat', ['-', `UNIX-CONNECT:${socket}`], { stdio: ['pipe', 'ignore', 'ignore'] })
    reader.stdin.write(`${SUBSCRIBE}\n`)
    await until(() => listening() === 1)
    reader.kill('SIGKILL')
    await until(() => listening() === 0)
  })

  it('goes on for a person who pipes the request into socat, until he has gone', async () => {
    const reader = spawn('sh', ['-c', `echo '${SUBSCRIBE}' | socat -t 2 - UNIX-CONNECT:${socket}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    reader.stdout.on('data', (data) => (text += String(data)))
    await until(() => text.includes('lost'))
    ip('link add pe1 type bridge')
    await until(() => text.includes('"pe1"'))
    await new Promise((resolve) => reader.once('exit', resolve))
    await until(() => listening() === 0)
    ip('link del pe1')
  })

  it('tells each of a thousand changes that are made at once, and answers meanwhile', async () => {
    const ended = subscribe()
    await until(() => received.length === 1)
    ip('link add pe2 type bridge', ...Array.from({ length: 1000 }, (_, i) => `link set pe2 mtu ${1000 + i}`))
    assert.deepEqual(
      (await client.request('link.probe', { interface_names: ['pe2'] })).links.map(({ observed }) => observed.mtu),
      [1999],
    )
    await until(() => received.length > 1000)
    assert.deepEqual(
      received.filter(({ subject }) => subject === 'lost'),
      [LOST],
    )
    ip('link del pe2')
    ending.abort()
    await ended
    await until(() => listening() === 0)
  })
})
