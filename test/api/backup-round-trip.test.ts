// Whatever a panel holds, its backup brings it back: as a property over random panels, and at size (reference.md,
// Backup document; decisions.md, W9, W12, W13).
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { inOrder } from '@panel/shared/ruleset/canonical.ts'
import type { RelayRule } from '@panel/shared/ruleset/model.ts'
import { became, exportOf, importInto, withoutIds } from './support/backup.ts'
import type { Client } from './support/client.ts'
import { startPanel, type TestPanel } from './support/panel.ts'
import { fill, panels } from './support/random-panels.ts'
import { createTunnel, listTunnels, removeAddress, SMALLEST } from './support/tunnels.ts'

describe('A backup', () => {
  let panel: TestPanel
  let operator: Client
  beforeEach(async () => {
    panel = await startPanel()
    operator = await panel.setUp()
  })
  afterEach(() => panel.close())

  it('of any panel, imported into an empty one, exports as itself', async () => {
    await fc.assert(
      fc.asyncProperty(panels, async (wanted) => {
        const [first, second] = [await startPanel(), await startPanel()]
        try {
          const [source, target] = [await first.setUp(), await second.setUp()]
          await fill(source, wanted)
          const backup = await exportOf(source)
          const { body } = await importInto(target, backup)
          assert.deepEqual(
            body.actions.filter(({ error }) => error),
            [],
          )
          assert.deepEqual(withoutIds(await exportOf(target)), withoutIds(backup))
          assert.deepEqual(hostOf(second), hostOf(first))
        } finally {
          await Promise.all([first.close(), second.close()])
        }
      }),
      { numRuns: 15 },
    )
  })

  it('brings back a tunnel without addresses as one without', async () => {
    await createTunnel(operator, { interface_name: 'bare', addresses: [{ address: '10.5.5.1', prefix_length: 30 }] })
    assert.equal(
      (await removeAddress(operator, 1, { address: '10.5.5.1', prefix_length: 30, force: true })).status,
      200,
    )
    const other = await startPanel()
    const client = await other.setUp()
    await importInto(client, await exportOf(operator))
    assert.deepEqual(
      (await listTunnels(client)).body.tunnels.map(({ interface_name, addresses }) => [interface_name, addresses]),
      [['bare', []]],
    )
    await other.close()
  })

  it('of 8 MiB is taken, and one byte more is not', async () => {
    const padded = (bytes: number): string => {
      const text = JSON.stringify({ dry_run: true, backup: { version: 1, note: '' } })
      return text.replace('"note":""', `"note":"${'x'.repeat(bytes - text.length)}"`)
    }
    const limit = 8 * 1024 * 1024
    assert.equal(
      (
        await operator.post('/backup/import', undefined, {
          raw: padded(limit),
          headers: { 'Content-Type': 'application/json' },
        })
      ).status,
      200,
    )
    const { status, error } = await operator.post('/backup/import', undefined, {
      raw: padded(limit + 1),
      headers: { 'Content-Type': 'application/json' },
    })
    assert.deepEqual([status, error.code], [413, 'PAYLOAD_TOO_LARGE'])
    assert.equal((await operator.post('/tunnels/preview', undefined, { raw: padded(2 * 1024 * 1024) })).status, 413)
  })

  it('of several hundred tunnels keeps nobody else waiting for more than one of them', async () => {
    const count = 150
    const tunnels = Array.from({ length: count }, (_, at) => ({
      ...SMALLEST,
      interface_name: `t${at}`,
      remote_endpoint: `198.51.${Math.floor(at / 200)}.${(at % 200) + 1}`,
      addresses: [{ address: `10.60.${at}.1`, prefix_length: 30 }],
    }))
    let isDone = false
    const importing = importInto(operator, { version: 1, tunnels }).finally(() => (isDone = true))
    for (;;) if ((await listTunnels(operator)).body.total > 2) break
    assert.equal(
      (await createTunnel(operator, { interface_name: 'between', remote_endpoint: '198.51.100.250' })).status,
      201,
    )
    assert.equal(isDone, false)
    assert.equal((await importInto(operator, { version: 1 })).error.code, 'CONFLICT')
    assert.equal((await importInto(operator, { version: 1 }, { dry_run: true })).status, 200)
    assert.equal((await importing).body.counts.create, count)
  })

  it('sent twice with one idempotency key is imported once', async () => {
    const backup = { version: 1, tunnels: [{ ...SMALLEST, interface_name: 'once' }] }
    const [one, other] = await Promise.all([
      importInto(operator, backup, { idempotency_key: 'k' }),
      importInto(operator, backup, { idempotency_key: 'k' }),
    ])
    assert.deepEqual([became(one, 'tunnel'), one.text], [{ once: 'create' }, other.text])
  })
})

/** What the host holds; of rules their order and what they do, since an import gives them ids of its own. */
function hostOf({ kernel }: TestPanel): object {
  const { rules, boot } = kernel.rulesets
  const inTurn = (held: ReadonlyMap<number, RelayRule>) =>
    [...held.values()].sort(inOrder).map(({ route_rule_id: _id, ...rule }) => rule)
  const { rules: _byId, ...rest } = JSON.parse(kernel.picture()) as Record<string, unknown>
  return { ...rest, rules: inTurn(rules), boot: inTurn(boot) }
}
