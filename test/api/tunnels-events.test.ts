// What a change of a tunnel tells the rest of the panel: once the record is there, and nothing where there is none.
import assert from 'node:assert/strict'
import { LOST, type HostEvent } from '@panel/shared/events/model.ts'
import { watchKernel } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import { findTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { eventually } from '../support/eventually.ts'
import { from, onlyAt } from '../support/faulty.ts'
import { inProcessHelper } from '../support/in-process-helper.ts'
import type { Client } from './support/client.ts'
import {
  act,
  addAddress,
  createTunnel,
  deleteTunnel,
  patchTunnel,
  startFaultyPanel,
  type FaultyPanel,
} from './support/tunnels.ts'

describe('events of tunnels', () => {
  let panel: FaultyPanel
  let client: Client
  let received: string[]
  /** The store's state at the time of the event. */
  let found: Promise<boolean | undefined>[]

  beforeEach(async () => {
    ;[received, found] = [[], []]
    panel = await startFaultyPanel()
    client = await panel.setUp()
    for (const name of ['tunnel.created', 'tunnel.updated', 'tunnel.deleted'] as const) {
      panel.bus.subscribe(name, (event) => {
        received.push(`${name} ${event.tunnel_id} ${event.interface_name}`)
        found.push(findTunnel(panel.db, event.tunnel_id).then((known) => known?.isDeleted))
        assert.deepEqual(Object.keys(event), ['tunnel_id', 'interface_name'])
      })
    }
  })
  afterEach(() => panel.close())

  it('tell what was made, changed and deleted, after it is stored', async () => {
    const { tunnel_id, interface_name } = (await createTunnel(client)).body.tunnel
    await patchTunnel(client, tunnel_id, { note: 'of interest to nobody else' })
    await patchTunnel(client, tunnel_id, { mtu: 1400 })
    await addAddress(client, tunnel_id, { address: '10.77.0.1', prefix_length: 30 })
    for (const action of ['down', 'up', 'restart', 'reapply'] as const)
      assert.equal((await act(client, tunnel_id, action)).status, 200)
    await deleteTunnel(client, tunnel_id)
    await deleteTunnel(client, tunnel_id)
    const about = `${tunnel_id} ${interface_name}`
    assert.deepEqual(received, [
      `tunnel.created ${about}`,
      ...Array.from({ length: 7 }, () => `tunnel.updated ${about}`),
      `tunnel.deleted ${about}`,
    ])
    assert.deepEqual(await Promise.all(found), [...Array.from({ length: 8 }, () => false), true])
  })

  it('tell nothing of a tunnel that was put back, and of one that is stuck that it is there', async () => {
    panel.arm(onlyAt(1, 'refuses'))
    assert.equal((await createTunnel(client)).error.code, 'APPLY_FAILED')
    assert.equal(received.length, 0)
    panel.arm(from(2, 'refuses'))
    assert.equal((await createTunnel(client)).error.code, 'TUNNEL_INCONSISTENT')
    assert.deepEqual(
      received.map((text) => text.split(' ')[0]),
      ['tunnel.created'],
    )
  })

  it('have company: the kernel announces the same change, and those that were not made through the panel', async () => {
    const reported: HostEvent[] = []
    panel.bus.subscribe('host.changed', ({ events }) => reported.push(...events))
    const { stream } = inProcessHelper(panel.host)
    const watch = watchKernel({
      stream,
      logger: makeLogger({ write: (line) => void panel.log.push(line) }),
      listener: (events) => panel.bus.publish('host.changed', { events }),
    })
    const until = (isTold: (event: HostEvent) => boolean): Promise<void> =>
      eventually(
        () => reported.some(isTold),
        () => JSON.stringify(reported),
      )
    await until(({ subject }) => subject === 'lost')
    assert.deepEqual(reported, [LOST])
    const { interface_name } = (await createTunnel(client)).body.tunnel
    await until((event) => event.subject === 'link' && event.interface_name === interface_name)
    panel.host.plant('vx-1', {})
    await until((event) => event.interface_name === 'vx-1')
    await watch.close()
    assert.equal(panel.host.listeners.size, 0)
  })

  it('tell that a change failed, which the record says from then on', async () => {
    const { tunnel_id } = (await createTunnel(client)).body.tunnel
    panel.arm(onlyAt(1, 'refuses'))
    await patchTunnel(client, tunnel_id, { mtu: 1400 })
    assert.deepEqual(
      received.map((text) => text.split(' ')[0]),
      ['tunnel.created', 'tunnel.updated'],
    )
  })
})
