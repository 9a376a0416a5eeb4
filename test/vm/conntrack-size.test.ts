// How many connections are tracked, on Debian's own kernel: raised, put back, there again after a boot that loads
// connection tracking with the relay rules alone, and what that kernel makes of long chains (decisions.md, F56, F57).
import assert from 'node:assert/strict'
import type { ForwardingAnswer, ForwardingChangeAnswer } from '@panel/shared/api/forwarding.ts'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { CONNTRACK_MAX_KEY } from '@panel/shared/forwarding/model.ts'
import { routeRequest } from '../support/records.ts'
import { eventually } from './eventually.ts'
import { startLab, type Lab } from './lab/index.ts'
import { expect, ON_DISK, OPERATOR, startOnDisk, type Panel, type Place } from './panel/panel.ts'

const FILE = `${ON_DISK.sysctlDir}/99-tunnel-panel.conf`
const VALUES = '/proc/sys/net/netfilter'
const ENABLE = '/system/forwarding/enable'
/** One datagram for each flow, over the loopback: no other two of them share their ports. */
const FLOWS = `
const socket = require('node:dgram').createSocket('udp4')
const [first, last] = process.argv.slice(1).map(Number)
const send = (port) => port > last ? socket.close() : socket.send('x', port, '127.0.0.2', () => send(port + 1))
socket.on('error', () => undefined).bind(9, '127.0.0.1', () => send(first))`

describe('How many connections are tracked', function () {
  let lab: Lab
  let panel: Panel<Place>
  let was: number
  let more: number

  before(async () => {
    lab = await startLab({ kind: 'emulated' })
    panel = await startOnDisk(lab)
  })
  after(() => lab?.stop())

  const valueOf = async (name: string): Promise<number> =>
    Number(await lab.run('cat', [`${VALUES}/nf_conntrack_${name}`]))
  const max = (): Promise<number> => valueOf('max')
  const set = (conntrack_max: number | null, more_fields: object = {}) =>
    panel.operator.post<ForwardingChangeAnswer>(ENABLE, { conntrack_max, ...more_fields })
  const shown = async (): Promise<ForwardingAnswer> =>
    expect(await panel.operator.get<ForwardingAnswer>('/system/forwarding'), 200)
  const isLoaded = async (): Promise<boolean> =>
    (await lab.try('test', ['-e', `${VALUES}/nf_conntrack_max`])).code === 0
  const startAgain = async (): Promise<void> => {
    await panel.startHelper()
    await panel.startWeb({ PANEL_LISTEN_ADDRESS: '0.0.0.0' })
    expect(await panel.operator.post('/auth/login', OPERATOR), 200)
  }

  it('is doubled once a rule is there: the kernel has it, and the file', async () => {
    expect(await panel.operator.post('/routes', routeRequest({ bind_address: '0.0.0.0', bind_port: 8080 })), 201)
    was = await max()
    const { forwarding } = await shown()
    assert.equal(forwarding.conntrack_max, was)
    more = forwarding.conntrack_max_doubled ?? assert.fail('it cannot be raised')
    assert.equal(more, was * 2)
    expect(await set(more), 200)
    assert.equal(await max(), more)
    assert.match(await lab.run('cat', [FILE]), new RegExp(`\\n${CONNTRACK_MAX_KEY} = ${more}\\n$`))
  })

  it('goes neither below what was there before the panel nor beyond the room for it, also by a request to root itself', async () => {
    const memory = Number(/MemTotal: +(\d+)/.exec(await lab.run('cat', ['/proc/meminfo']))?.[1]) * 1024
    const most = Math.min(Math.floor(memory / 4 / 384), (await valueOf('buckets')) * 8)
    for (const size of [was - 1, most + 1]) {
      const refused = await set(size)
      assert.deepEqual([refused.status, refused.error.field], [422, 'conntrack_max'])
    }
    const { state } = await panel.request('forwarding.probe', {})
    const request = (value: number, previous: number) => ({
      before: state,
      after: {
        ...state,
        conntrack_max: value,
        saved: state.saved && { ...state.saved, conntrack_max: { value, previous } },
      },
    })
    await assert.rejects(panel.request('forwarding.apply', request(most + 1, was)), /can be made to track/)
    await assert.rejects(panel.request('forwarding.apply', request(was - 1, was)), /can be made to track/)
    await assert.rejects(panel.request('forwarding.apply', request(more, 1)), /No file says of this/)
    await assert.rejects(
      panel.request('forwarding.apply', { before: state, after: { ...state, conntrack_max: 1 } }),
      /No file says of this/,
    )
    assert.equal(await max(), more)
    expect(await set(most), 200)
    assert.equal(await max(), most)
    expect(await set(more), 200)
  })

  it('that another program has changed is reported, and set again on request', async () => {
    await lab.run('sysctl', ['-w', `${CONNTRACK_MAX_KEY}=${was + 1}`])
    const { warnings, forwarding } = await shown()
    assert.ok(warnings.some(({ code }) => code === 'CONNTRACK_MAX_CHANGED'))
    assert.deepEqual([forwarding.conntrack_max, forwarding.conntrack_max_set], [was + 1, more])
    expect(await set(more), 200)
    assert.equal(await max(), more)
  })

  it('is one value for the whole kernel: another network namespace has it, and can set none', async () => {
    const inside = (command: string) => lab.try('unshare', ['--net', 'sh', '-c', command])
    assert.equal((await inside(`cat ${VALUES}/nf_conntrack_max`)).stdout.trim(), `${more}`)
    assert.equal((await inside(`test -w ${VALUES}/nf_conntrack_max`)).code, 1)
    assert.notEqual((await inside(`echo 1 > ${VALUES}/nf_conntrack_max`)).code, 0)
    assert.equal(await max(), more)
  })

  it('comes back by itself where nobody confirms it', async () => {
    expect(await set(was, { confirm_within_seconds: 15 }), 200)
    assert.equal(await max(), was)
    await eventually(async () => expect(await panel.operator.get<SafeApplyAnswer>('/safe-apply'), 200).window === null)
    assert.equal(await max(), more)
    assert.match(await lab.run('cat', [FILE]), new RegExp(`\\n${CONNTRACK_MAX_KEY} = ${more}\\n`))
  })

  it('is there again after a reboot: boot cannot set it before connection tracking is loaded, and root does', async () => {
    await lab.reboot()
    assert.equal(await isLoaded(), false)
    await startAgain()
    assert.equal(await max(), more)
  })

  it('is there again with the first rule, where no rule was there when the helper started', async () => {
    expect(await panel.operator.delete('/routes/1'), 200)
    await lab.reboot()
    await startAgain()
    expect(await panel.operator.post('/routes', routeRequest({ bind_address: '0.0.0.0', bind_port: 8081 })), 201)
    assert.equal(await max(), more)
  })

  it('is put back to exactly what was there before, and no line of it is left in the file', async () => {
    expect(await set(null), 200)
    assert.equal(await max(), was)
    assert.doesNotMatch(await lab.run('cat', [FILE]), /conntrack_max/)
  })

  it('is bounded by the chains: with 8 entries for each the kernel takes every flow, with 32 it refuses some', async () => {
    const refused = async (): Promise<number> => {
      const [names = '', ...rows] = (await lab.run('cat', ['/proc/net/stat/nf_conntrack'])).trim().split('\n')
      const column = names.trim().split(/ +/).indexOf('chainlength')
      return rows.reduce((sum, row) => sum + parseInt(row.trim().split(/ +/)[column] ?? '', 16), 0)
    }
    const flows = (first: number, last: number) => lab.run('node', ['-e', FLOWS, `${first}`, `${last}`])
    await lab.run('sysctl', ['-w', `${CONNTRACK_MAX_KEY}=262144`, 'net.netfilter.nf_conntrack_udp_timeout=3600'])
    await lab.run('sysctl', ['-w', 'net.netfilter.nf_conntrack_buckets=1024'])
    assert.equal(await refused(), 0)
    const [buckets, others] = [await valueOf('buckets'), await valueOf('count')]
    await flows(1, buckets * 8)
    assert.equal(await refused(), 0)
    assert.ok((await valueOf('count')) >= buckets * 8 - others)
    await flows(buckets * 8 + 1, buckets * 32)
    assert.ok((await refused()) > 0)
  })
})
