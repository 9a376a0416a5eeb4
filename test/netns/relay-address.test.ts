// Rules that take the address of an interface (decisions.md, F50), while the interface gets another one: the whole panel
// before a real kernel, and a client that talks to the new address.
import assert from 'node:assert/strict'
import type { RouteAnswer } from '@panel/shared/api/routes/answers.ts'
import { eventually } from '../support/eventually.ts'
import type { Place } from './relay-peer.ts'
import { RELAY, RELAY_FAR, RELAY_TOO, RelayRig, SERVERS } from './relay-rig.ts'

const [ONE] = SERVERS
const [OTHER, OTHER_FAR] = ['10.1.0.77', '10.9.0.77']
const SNAT = 20
const door = (address: string): Place => ({ protocol: 'tcp', address, port: 1001 })

describe('A relay rule with the addresses of interfaces', function () {
  const rig = new RelayRig()
  let panel: ReturnType<RelayRig['panel']>
  before(async () => {
    await rig.open()
    panel = rig.panel()
    await rig.servers.calls.listen({ protocol: 'tcp', address: ONE, port: 80 })
    await panel.watch()
    const { status, body } = await panel.request('POST', '/routes', {
      bind_address_interface: 'near0',
      bind_port: 1001,
      nat_mode_id: SNAT,
      snat_address_interface: 'far0',
      destination_address: ONE,
      destination_port: 80,
    })
    assert.equal(status, 201, JSON.stringify(body))
  })
  after(() => rig.close())

  const shown = async () => {
    const { route, health } = (await panel.request('GET', '/routes/1')).body as RouteAnswer
    return { at: [route.bind_address, route.snat_address], causes: health.causes.map(({ code }) => code) }
  }
  /** The source that the destination sees of a client that goes to this address. */
  const sourceBehind = async (address: string) => (await rig.client.calls.talk(door(address)))?.seen.split(' ')[0]
  const gets = (device: string, address: string): void => {
    rig.relay.run('ip', ['-4', 'addr', 'flush', 'dev', device])
    rig.relay.run('ip', ['addr', 'add', `${address}/24`, 'dev', device])
  }
  const follows = (...at: string[]): Promise<void> =>
    eventually(async () => String((await shown()).at) === String(at), `the rule has ${at.join(' and ')}`)

  it('relays by those that they have', async () => {
    assert.deepEqual((await shown()).at, [RELAY, RELAY_FAR])
    assert.equal(await sourceBehind(RELAY), RELAY_FAR)
  })

  it('follows when an address goes and another is there, for clients and for the source', async () => {
    gets('near0', RELAY_TOO)
    await follows(RELAY_TOO, RELAY_FAR)
    assert.equal(await sourceBehind(RELAY_TOO), RELAY_FAR)
    gets('far0', OTHER_FAR)
    await follows(RELAY_TOO, OTHER_FAR)
    assert.equal(await sourceBehind(RELAY_TOO), OTHER_FAR)
  })

  it('keeps the last one while the interface has none, says that nothing arrives, and takes the next', async () => {
    rig.relay.run('ip', ['-4', 'addr', 'flush', 'dev', 'near0'])
    await eventually(async () => (await shown()).causes.includes('LISTENER_ABSENT'), 'nothing arrives')
    assert.deepEqual((await shown()).at, [RELAY_TOO, OTHER_FAR])
    rig.relay.run('ip', ['addr', 'add', `${OTHER}/24`, 'dev', 'near0'])
    await follows(OTHER, OTHER_FAR)
    assert.equal(await sourceBehind(OTHER), OTHER_FAR)
    await eventually(async () => !(await shown()).causes.includes('LISTENER_ABSENT'), 'it listens again')
  })
})
