// Networks with the shipped helper: what it keeps comes back with it, and with each link, and a damaged record is left
// alone. Links that stand for tunnels are not the panel's, so none of these networks can be made by a request here.
import assert from 'node:assert/strict'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { NetworkState } from '@panel/shared/network/model.ts'
import { askOnce } from '../../packaging/run/ask-once.ts'
import { exampleNetwork } from '../support/example-network.ts'
import { becomes } from '../support/eventually.ts'
import { RelayRig } from './relay-rig.ts'

const carried = [1, 2].map((number) => ({ interface_name: `gre-a-${number}`, weight: 1 }))
const FOUR = exampleNetwork({ paths: carried, own_addresses: ['10.66.0.1'], source: '10.66.0.1' })
const SIX = exampleNetwork({ destination: 'fd50::/48', paths: carried, own_addresses: ['fd66::1'] })

describe('Networks that the helper keeps', function () {
  const rig = new RelayRig()
  const file = join(rig.folder, 'state', 'networks.json')
  const write = (...states: readonly NetworkState[]): void =>
    writeFileSync(
      file,
      JSON.stringify({ networks: states.map((state, at) => ({ number: 0xffff - at, state })), rp_filters: {} }),
    )
  const found = async (): Promise<NetworkState[]> =>
    (await askOnce(rig.socket, 'network.probe', {})).networks.map(({ state }) => state)
  const lacks = async (): Promise<string[][]> => (await found()).map((one) => one.lacks)
  const makeLink = (number: number): void =>
    rig.relay.batch(
      `link add gre-a-${number} type veth peer name far${number}`,
      `link set far${number} up`,
      `addr add 172.17.${number}.1/30 dev gre-a-${number}`,
      `addr add fd17:${number}::1/126 dev gre-a-${number} nodad`,
      `link set gre-a-${number} up`,
    )
  const ours = (): string =>
    [
      ...['-4', '-6'].map((family) => rig.relay.run('ip', [family, 'route', 'show', 'table', 'all', 'proto', '84'])),
      rig.relay.run('ip', ['address', 'show', 'dev', 'lo']),
    ].join('')

  before(async () => {
    await rig.open()
    makeLink(1)
  })
  after(() => rig.close())

  it('are none on a host that has none', async () => {
    const { networks, hash_policy } = await askOnce(rig.socket, 'network.probe', {})
    assert.deepEqual([networks, hash_policy], [[], { ipv4: 0, ipv6: 0 }])
  })

  it('are back before it serves, over the links that are there', async () => {
    write(FOUR, SIX)
    await rig.restartHelper()
    assert.deepEqual(await lacks(), [['gre-a-2'], ['gre-a-2']])
    assert.deepEqual((await askOnce(rig.socket, 'network.probe', { destinations: ['10.50.0.0/16'] })).networks, [
      {
        state: { ...FOUR, lacks: ['gre-a-2'] },
        held: { metric: 50, source: '10.66.0.1', paths: [{ interface_name: 'gre-a-1', weight: 1 }] },
      },
    ])
  })

  it('have every path again as soon as its link comes, goes down and up, or is made again', async () => {
    const all = async (isSo: (all: string[][]) => boolean): Promise<string[][]> => becomes(lacks, isSo)
    const isWhole = (now: string[][]): boolean => now.flat().length === 0
    makeLink(2)
    await all(isWhole)
    rig.relay.batch('link set gre-a-1 down')
    await all((now) => now.every((one) => one.join() === 'gre-a-1'))
    rig.relay.batch('link set gre-a-1 up', 'addr replace fd17:1::1/126 dev gre-a-1 nodad')
    await all(isWhole)
    rig.relay.batch('link del gre-a-2')
    await all((now) => now.every((one) => one.join() === 'gre-a-2'))
    makeLink(2)
    await all(isWhole)
    rig.relay.batch('addr del 10.66.0.1/32 dev lo')
    await becomes(lacks, isWhole)
    assert.match(rig.relay.run('ip', ['address', 'show', 'dev', 'lo']), /inet 10\.66\.0\.1\/32/)
  })

  it('are the same to a check, which names what differs', async () => {
    const change = { before: null, after: [FOUR, SIX] }
    assert.equal((await askOnce(rig.socket, 'network.verify', change)).ok, true)
    const { ok, checks } = await askOnce(rig.socket, 'network.verify', { ...change, after: [{ ...FOUR, metric: 60 }] })
    assert.deepEqual(
      [ok, checks.filter((check) => !check.ok).map(({ detail }) => detail)],
      [false, ['10.50.0.0/16: metric should be 60, and is 50']],
    )
  })

  it('are left alone while the record is damaged, and nothing of them is changed', async () => {
    const was = ours()
    writeFileSync(file, '{"cut":')
    await rig.restartHelper()
    const tells = /networks\.json is damaged .* tunnel-panel set-aside networks\.json/
    await assert.rejects(askOnce(rig.socket, 'network.probe', {}), tells)
    await assert.rejects(askOnce(rig.socket, 'network.apply', { before: [FOUR], after: null }), tells)
    assert.match((await askOnce(rig.socket, 'host.probe', { parts: ['state'] })).state?.trouble ?? '', tells)
    assert.equal(ours(), was)
    renameSync(file, `${file}.aside`)
    write(FOUR, SIX)
    await rig.restartHelper()
    assert.deepEqual(await lacks(), [[], []])
  })

  it('are not made over a link that is not the panel’s', async () => {
    const after = [exampleNetwork({ destination: '10.51.0.0/24', paths: carried })]
    await assert.rejects(
      askOnce(rig.socket, 'network.apply', { before: null, after }),
      /gre-a-1 was not made by the panel/,
    )
  })

  it('go with a change, in a window that takes it back too', async () => {
    const window_id = 'a'.repeat(32)
    await askOnce(rig.socket, 'window.open', { window_id, seconds: 60 })
    const gone = await askOnce(rig.socket, 'network.apply', { before: [FOUR, SIX], after: null })
    assert.deepEqual([gone.outcome, gone.failure], ['applied', null])
    assert.ok(!/proto 84|66/.test(ours()))
    assert.deepEqual((await askOnce(rig.socket, 'window.probe', {})).window?.networks, ['10.50.0.0/16', 'fd50::/48'])
    assert.deepEqual((await askOnce(rig.socket, 'window.way_back', { window_id, from_id: 0 })).networks, [FOUR, SIX])
    await askOnce(rig.socket, 'window.cancel', { window_id })
    await askOnce(rig.socket, 'window.forget', { window_id })
    assert.deepEqual(await found(), [FOUR, SIX])
    assert.equal((await askOnce(rig.socket, 'network.apply', { before: [FOUR, SIX], after: null })).outcome, 'applied')
    assert.ok(!/proto 84|66/.test(ours()))
    assert.deepEqual(await found(), [])
  })
})
