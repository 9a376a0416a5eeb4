// The laws of revisions, over panels at random that are changed at random.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { BackupDocument } from '@panel/shared/api/backup.ts'
import { repetitions } from '../support/counts.ts'
import { exportOf } from './support/backup.ts'
import type { Client, Reply } from './support/client.ts'
import { fill, panels } from './support/random-panels.ts'
import { differencesSince, lastRevision, restore } from './support/revisions.ts'
import { enableForwarding } from './support/routes.ts'
import { set } from './support/settings.ts'
import { startWindowPanel } from './support/windows.ts'

const id = fc.integer({ min: 1, max: 4 })
const changes = fc.array(
  fc.oneof(
    fc.record({ method: fc.constant('DELETE'), path: fc.tuple(fc.constantFrom('tunnels', 'routes'), id) }),
    fc.record({
      method: fc.constant('PATCH'),
      path: fc.tuple(fc.constant('tunnels'), id),
      body: fc.record({ mtu: fc.integer({ min: 1280, max: 1400 }), note: fc.string({ maxLength: 9 }) }),
    }),
    fc.record({
      method: fc.constant('PATCH'),
      path: fc.tuple(fc.constant('routes'), id),
      // Of each other, so that rules wait for one another when they are restored.
      body: fc.record({ bind_port: fc.constantFrom(10_000, 10_100, 10_200), is_enabled: fc.boolean() }),
    }),
    fc.record({
      method: fc.constant('PUT'),
      path: fc.constant(['settings'] as const),
      body: fc.record({ 'tunnel.default_mtu': fc.integer({ min: 1280, max: 1400 }) }),
    }),
  ),
  { minLength: 3, maxLength: 12 },
)

interface Moment {
  readonly revision_id: number
  readonly document: object
  readonly host: string
}

describe('A moment of the past', function () {
  this.timeout(600_000)

  it('is read back as it was, and restored to the letter, in the panel and on the host', async () => {
    await fc.assert(
      fc.asyncProperty(panels, changes, fc.nat(), async (wanted, requests, at) => {
        const { panel, operator: client } = await startWindowPanel()
        try {
          await set(client, { 'system.revisions_kept': 1000 })
          // The first rule in force turns it on, and it stays.
          assert.equal((await enableForwarding(client)).status, 200)
          const moments: Moment[] = []
          const remember = async (): Promise<void> => {
            const { revision_id } = await lastRevision(client)
            moments.push({ revision_id, document: comparable(await exportOf(client)), host: panel.kernel.picture() })
          }
          await fill(client, wanted)
          await remember()
          for (const request of requests) {
            await send(client, request)
            await remember()
          }
          for (const { revision_id, document } of moments) {
            const { body } = await client.get<BackupDocument>(`/revisions/${revision_id}/backup`)
            assert.deepEqual(comparable(body), document)
          }
          const moment = moments[at % moments.length] ?? assert.fail()
          const { body, text } = await restore(client, moment.revision_id)
          assert.equal(body.is_taken_back, false, text)
          assert.deepEqual(await differencesSince(client, moment.revision_id), [])
          assert.deepEqual(comparable(await exportOf(client)), moment.document)
          assert.equal(panel.kernel.picture(), moment.host)
          assert.deepEqual((await restore(client, moment.revision_id)).body.steps, [])
        } finally {
          await panel.close()
        }
      }),
      { numRuns: repetitions('PANEL_REVISIONS') },
    )
  })
})

/** A request that is refused, as of what is not there, changes nothing. */
const send = (client: Client, request: { method: string; path: readonly unknown[]; body?: object }): Promise<Reply> =>
  client.api(request.method, `/${request.path.join('/')}`, request.body ?? {})

/** A rule that names a tunnel which was deleted comes back without it. */
function comparable({ exported_at: _when, settings, routes = [], ...rest }: BackupDocument): object {
  const there = new Set(rest.tunnels.map(({ tunnel_id }) => tunnel_id))
  const named = routes.map(({ tunnel_id, ...rule }) =>
    there.has(tunnel_id ?? undefined) ? { ...rule, tunnel_id } : rule,
  )
  return { ...rest, routes: named, settings: Object.fromEntries(settings.map(({ key, value }) => [key, value])) }
}
