// How many connections go to each destination of a rule, and which of them end with it (reference.md, Checks of
// destinations).
import assert from 'node:assert/strict'
import { CONNECTIONS_MAX, type RelayConnection } from '@panel/shared/ruleset/connection.ts'
import { KernelError } from '@panel/root-helper/kernel-error.ts'
import { eventually } from '../support/eventually.ts'
import { fakeConnection } from '../support/fake-ruleset.ts'
import {
  ADDRESSES,
  destinationAt,
  drain,
  type FakeChecks,
  madeThree,
  QUICK,
  untilState,
  startChecked,
} from './support/checks.ts'
import type { Client } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'

const [ONE, TWO, THREE] = ADDRESSES
/** A connection with a source port of its own. */
const connectionTo = (destination_address: string, source_port: number, more: Partial<RelayConnection> = {}) =>
  fakeConnection({ destination_address, destination_port: 80, source_port, ...more })

describe('The connections to a destination', () => {
  let panel: TestPanel
  let client: Client
  let checks: FakeChecks
  startChecked((made) => ({ panel, client, checks } = made))

  const countOf = async (id: number, address: string): Promise<number | null> =>
    (await destinationAt(client, id, address)).connections

  it('are counted until the last of them is gone, once it is taken out by hand', async () => {
    const id = await madeThree(client, { check: null })
    panel.kernel.connections.open = [connectionTo(ONE, 1), connectionTo(TWO, 2), connectionTo(TWO, 3)]
    await drain(client, id, TWO)
    assert.deepEqual([await countOf(id, ONE), await countOf(id, TWO)], [1, 2])
    panel.kernel.connections.open.pop()
    assert.equal(await countOf(id, TWO), 1)
    panel.kernel.connections.open.pop()
    assert.deepEqual([await countOf(id, ONE), await countOf(id, TWO)], [1, 0])
  })

  it('are those to all its ports, where the rule relays a range', async () => {
    const range = { bind_port: 2000, bind_port_range_end: 2009 }
    const id = await madeThree(client, { ...range, check: null })
    const ports = [79, 80, 85, 89, 90]
    panel.kernel.connections.open = ports.map((port) => connectionTo(TWO, port, { destination_port: port }))
    assert.equal(await countOf(id, TWO), 3)
  })

  it('are counted, too, where there are more than one answer lists', async () => {
    const id = await madeThree(client, { check: null })
    const many = Array.from({ length: CONNECTIONS_MAX }, (_, at) => connectionTo(ONE, at))
    panel.kernel.connections.open = [...many, connectionTo(TWO, 1), connectionTo(TWO, 2)]
    assert.deepEqual([await countOf(id, ONE), await countOf(id, TWO)], [CONNECTIONS_MAX, 2])
  })

  it('are unknown, not none, if they cannot be read', async () => {
    const id = await madeThree(client, { check: null })
    panel.kernel.connections.unreadable = 'conntrack is not there'
    assert.equal(await countOf(id, TWO), null)
  })

  describe('that is down', () => {
    const UDP = { route_protocol_id: 20, check: { ...QUICK, kind: 'tcp' } } as const
    /** Opens connections, each with its own destination and port. */
    const open = (): void =>
      void (panel.kernel.connections.open = ADDRESSES.map((address, at) =>
        connectionTo(address, at, { protocol: 'udp' }),
      ))
    const left = (): string[] => panel.kernel.connections.open.map(({ destination_address }) => destination_address)
    const rotation = (): string =>
      (panel.kernel.rulesets.rules.get(1)?.destinations ?? []).map((one) => one.rotation).join()
    const look = async (): Promise<void> => {
      panel.routeWatch.hint('all')
      await panel.routeWatch.pass('event')
    }
    const fall = async (): Promise<void> => {
      checks.fail(TWO)
      await untilState(client, 1, TWO, 'down')
      await panel.failover.settled()
    }

    it('end with it, and none of another one', async () => {
      await madeThree(client, UDP)
      open()
      await fall()
      assert.deepEqual(left(), [ONE, THREE])
    })

    it('go on where it comes back', async () => {
      await madeThree(client, UDP)
      await fall()
      open()
      checks.mend(TWO)
      await untilState(client, 1, TWO, 'up')
      await panel.failover.settled()
      assert.deepEqual(left(), [...ADDRESSES])
    })

    it('end with the rotation that the next look carries out, where the daemon ended before it', async () => {
      await madeThree(client, UDP)
      await fall()
      // As the kernel was when that was stored.
      panel.kernel.rulesets.edit(1, {
        destinations: ADDRESSES.map((address) => ({ ...heldOne(), address, rotation: 'in' as const })),
      })
      open()
      await look()
      assert.deepEqual([rotation(), left()], ['in,out,in', [ONE, THREE]])
    })

    it('end with the start of a daemon, where the last one ended after the rotation and before them', async () => {
      await madeThree(client, UDP)
      await fall()
      await panel.failover.stop()
      open()
      await panel.failover.start()
      await eventually(() => left().length === 2)
      assert.deepEqual(left(), [ONE, THREE])
    })

    it('end later where root could not end them, and the audit log says why', async () => {
      await madeThree(client, UDP)
      open()
      const { connections } = panel.kernel
      const drop = connections.drop.bind(connections)
      connections.drop = async () => {
        connections.drop = drop
        throw new KernelError('EBUSY', 'The table is busy')
      }
      await fall()
      assert.deepEqual(left(), [...ADDRESSES])
      await eventually(() => left().length === 2)
      const { entries } = (await client.get<{ entries: { operations: string[] }[] }>('/audit?action=RouteRotate')).body
      assert.match(
        entries.map(({ operations }) => operations.at(-1)).join(),
        /^Ended 1 .*,Connections could not be ended/,
      )
    })

    it('go on with the start of a daemon where all are down, and each is relayed to as if it were up', async () => {
      await madeThree(client, UDP)
      for (const address of ADDRESSES) checks.fail(address)
      for (const address of ADDRESSES) await untilState(client, 1, address, 'down')
      await panel.failover.stop()
      open()
      await panel.failover.start()
      await panel.failover.settled()
      assert.deepEqual(left(), [...ADDRESSES])
    })

    const heldOne = () => panel.kernel.rulesets.rules.get(1)?.destinations[0] ?? assert.fail('The rule is not held')
  })
})
