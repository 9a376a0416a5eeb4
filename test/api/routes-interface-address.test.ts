// Rules whose addresses are those of an interface (decisions.md, F50): what is taken, what follows, and what is shown
// while there is none. That it follows a real host within a moment is in netns/relay-address.
import assert from 'node:assert/strict'
import type { SafeApplyAnswer } from '@panel/shared/api/safe-apply.ts'
import { LOST } from '@panel/shared/events/model.ts'
import type { ListAuditAnswer } from '@panel/shared/api/audit/answers.ts'
import { eventually } from '../support/eventually.ts'
import { fakeInterface } from '../support/fake-interfaces.ts'
import { exportOf, importInto } from './support/backup.ts'
import type { Client, Reply } from './support/client.ts'
import type { TestPanel } from './support/panel.ts'
import { startWindowPanel } from './support/windows.ts'
import {
  actOnRoute,
  createRoute,
  getRoute,
  madeRoute,
  patchRoute,
  previewRoute,
  warningCodes,
} from './support/routes.ts'

const SNAT = { nat_mode_id: 20, snat_address_interface: 'ppp0' }
const LISTENS = { bind_address_interface: 'ppp0' }

describe('The address of an interface, in the place of a fixed one,', () => {
  let panel: TestPanel
  let client: Client
  beforeEach(async () => {
    ;({ panel, operator: client } = await startWindowPanel())
    has('203.0.113.7/32', 'fe80::7/64', '2001:db8:7::1/64')
  })
  afterEach(() => panel.close())

  const has = (...addresses: string[]): void => {
    panel.kernel.hostInterfaces = [
      ...panel.kernel.hostInterfaces.filter(({ name }) => name !== 'ppp0'),
      fakeInterface('ppp0', 7, 'other', addresses),
    ]
  }
  const isGone = (): void => {
    panel.kernel.hostInterfaces = panel.kernel.hostInterfaces.filter(({ name }) => name !== 'ppp0')
  }
  const announce = (): void =>
    panel.bus.publish('host.changed', { events: [{ ...LOST, subject: 'address', interface_name: 'ppp0' }] })
  const held = (id = 1) => {
    const rule = panel.kernel.rulesets.rules.get(id)
    return [rule?.bind_address, rule?.snat_address]
  }
  const stored = async (id = 1) => {
    const { bind_address, bind_address_interface, snat_address, snat_address_interface } = (await getRoute(client, id))
      .body.route
    return { bind_address, bind_address_interface, snat_address, snat_address_interface }
  }
  const becomes = (wanted: readonly unknown[], id = 1): Promise<void> =>
    eventually(
      () => String(held(id)) === String(wanted),
      () => String(held(id)),
    )
  const entries = async () => (await client.get<ListAuditAnswer>('/audit?action=RouteUpdate')).body.entries
  const faults = ({ status, error }: Reply<unknown>) => [
    status,
    ...(error.details as { fields: { field: string; code: string }[] }).fields.map(({ field, code }) => [field, code]),
  ]

  for (const [what, body, taken] of [
    ['to listen on', LISTENS, ['203.0.113.7', null]],
    [
      'of IPv6, never a link-local one,',
      { ...LISTENS, bind_address: undefined, address_family_id: 20, destination_address: '2001:db8::9' },
      ['2001:db8:7::1', null],
    ],
    ['as the source', SNAT, ['192.0.2.1', '203.0.113.7']],
    ['for both', { ...LISTENS, ...SNAT }, ['203.0.113.7', '203.0.113.7']],
    ['which is kept where the interface has it,', { ...LISTENS, bind_address: '0.0.0.0' }, ['203.0.113.7', null]],
  ] as const)
    it(`${what} is taken by a rule that is made`, async () => {
      const preview = (await previewRoute(client, body)).body
      await madeRoute(client, body)
      assert.deepEqual(held(), taken)
      assert.equal(preview.resolved.bind_address, taken[0])
    })

  it('is the one in use as long as the interface has it, and its first otherwise', async () => {
    has('203.0.113.7/32', '203.0.113.8/32')
    await madeRoute(client, { ...LISTENS, bind_address: '203.0.113.8' })
    assert.equal((await stored()).bind_address, '203.0.113.8')
    has('203.0.113.9/32', '203.0.113.8/32')
    announce()
    await patchRoute(client, 1, { bind_port: 444 })
    assert.equal((await stored()).bind_address, '203.0.113.8')
    has('203.0.113.9/32', '203.0.113.10/32')
    announce()
    await becomes(['203.0.113.9', null])
  })

  it('is followed by every rule that names it, and by no other', async () => {
    await madeRoute(client, { ...LISTENS, ...SNAT })
    await madeRoute(client, { ...LISTENS, bind_port: 444 })
    await madeRoute(client, { bind_address: '203.0.113.7', bind_port: 445 })
    has('198.51.100.9/32')
    announce()
    await becomes(['198.51.100.9', '198.51.100.9'], 1)
    await becomes(['198.51.100.9', null], 2)
    assert.deepEqual(held(3), ['203.0.113.7', null])
    assert.deepEqual(await stored(), {
      bind_address: '198.51.100.9',
      bind_address_interface: 'ppp0',
      snat_address: '198.51.100.9',
      snat_address_interface: 'ppp0',
    })
    await eventually(async () => (await entries()).length === 2, 'both are in the audit log')
    assert.match((await entries())[1]?.operations.join() ?? '', /bind_address: ppp0 has 198\.51\.100\.9/)
  })

  it('is taken over when the panel starts, and by a rule that is disabled', async () => {
    await madeRoute(client, LISTENS)
    await actOnRoute(client, 1, 'disable')
    has('198.51.100.9/32')
    panel.bus.publish('host.changed', { events: [LOST] })
    await eventually(async () => (await stored()).bind_address === '198.51.100.9', 'it is stored')
    await actOnRoute(client, 1, 'enable')
    assert.deepEqual(held(), ['198.51.100.9', null])
  })

  it('that is not there leaves the last one, and the rule says LISTENER_ABSENT and stays changeable', async () => {
    await madeRoute(client, { ...LISTENS, ...SNAT })
    const codes = async () => {
      await panel.routeWatch.pass('event')
      const { causes } = (await getRoute(client, 1)).body.health
      return causes.map(({ code, detail_message }) => [code, detail_message.message_id])
    }
    assert.deepEqual(await codes(), [])
    for (const [at, lose] of [() => has(), () => has('fe80::7/64'), isGone].entries()) {
      lose()
      announce()
      assert.deepEqual((await codes())[0], ['LISTENER_ABSENT', 'health.interface_no_address'])
      const patched = await patchRoute(client, 1, { max_connections_per_source: 9 + at })
      assert.equal(patched.status, 200, patched.text)
      assert.ok(warningCodes(patched).includes('INTERFACE_WITHOUT_ADDRESS'), warningCodes(patched).join())
      assert.deepEqual(held(), ['203.0.113.7', '203.0.113.7'])
    }
    has('198.51.100.9/32')
    announce()
    await becomes(['198.51.100.9', '198.51.100.9'])
    assert.deepEqual(await codes(), [])
  })

  it('that is not there at all is refused for a new rule, unless one is sent to use until it is', async () => {
    for (const [body, field] of [
      [{ bind_address_interface: 'eth9', bind_address: undefined }, 'bind_address_interface'],
      [{ bind_address_interface: 'eth9', bind_address: '0.0.0.0' }, 'bind_address_interface'],
      [{ nat_mode_id: 20, snat_address_interface: 'eth9' }, 'snat_address_interface'],
      [{ bind_address_interface: 'no interface', bind_address: undefined }, 'bind_address_interface'],
    ] as const)
      assert.deepEqual(faults(await createRoute(client, body)), [422, [field, 'INTERFACE_WITHOUT_ADDRESS']])
    assert.equal(panel.kernel.rulesets.rules.size, 0)
    const made = await createRoute(client, { bind_address_interface: 'eth9', bind_address: '203.0.113.77' })
    assert.deepEqual([made.status, held()], [201, ['203.0.113.77', null]])
  })

  it('has no meaning as a source that is none', async () => {
    assert.deepEqual(faults(await createRoute(client, { ...SNAT, nat_mode_id: 10 })), [
      422,
      ['snat_address_interface', 'SNAT_ADDRESS_UNUSED'],
    ])
  })

  it('is fixed by an address that is sent by itself', async () => {
    await madeRoute(client, { ...LISTENS, ...SNAT })
    await patchRoute(client, 1, { bind_address: '192.0.2.1', snat_address: '192.0.2.1' })
    assert.deepEqual(await stored(), {
      bind_address: '192.0.2.1',
      bind_address_interface: null,
      snat_address: '192.0.2.1',
      snat_address_interface: null,
    })
  })

  it('is not taken where another rule listens there, which is audited once, and is once that has gone', async () => {
    await madeRoute(client, { ...LISTENS })
    await madeRoute(client, { bind_address: '198.51.100.9' })
    has('198.51.100.9/32')
    announce()
    await eventually(async () => (await entries()).length === 1, 'it is in the audit log')
    const [entry] = await entries()
    assert.deepEqual([entry?.is_success, held()], [false, ['203.0.113.7', null]])
    assert.match(entry?.error_message ?? '', /\(2\) listens for just the same/)
    assert.match(entry?.operations.join() ?? '', /bind_address: ppp0 has 198\.51\.100\.9/)
    announce()
    await client.delete('/routes/2')
    announce()
    await becomes(['198.51.100.9', null])
    assert.deepEqual((await entries()).length, 2)
  })

  it('comes back with a change that was taken back, and is then followed', async () => {
    await madeRoute(client, LISTENS)
    const { window } = (await client.post<SafeApplyAnswer>('/safe-apply', { seconds: 60 })).body
    await patchRoute(client, 1, { bind_address: '192.0.2.1' })
    assert.deepEqual(held(), ['192.0.2.1', null])
    has('198.51.100.9/32')
    announce()
    await client.post('/safe-apply/cancel', { window_id: window?.window_id })
    await becomes(['198.51.100.9', null])
  })

  it('is in a backup, and what the other host has is taken there', async () => {
    await madeRoute(client, { ...LISTENS, ...SNAT })
    const backup = await exportOf(client)
    await client.delete('/routes/1')
    has('198.51.100.9/32')
    await importInto(client, backup)
    assert.deepEqual((await stored(2)).bind_address_interface, 'ppp0')
    assert.deepEqual(held(2), ['198.51.100.9', '198.51.100.9'])
  })
})
