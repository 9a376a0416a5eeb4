// The law of files: a panel of any past that a file was applied to is as a new one that it was applied to.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { repetitions } from '../support/counts.ts'
import { exportFile } from './support/desired.ts'
import type { Client } from './support/client.ts'
import { fill, panels } from './support/random-panels.ts'
import { enableForwarding } from './support/routes.ts'
import { startWindowPanel } from './support/windows.ts'

describe('A panel that becomes another one by its file', function () {
  this.timeout(600_000)

  it('is that one, whatever it was, and a second time changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(panels, panels, async (first, second) => {
        const [one, other] = [await startWindowPanel(), await startWindowPanel()]
        try {
          for (const { operator } of [one, other]) assert.equal((await enableForwarding(operator)).status, 200)
          await fill(one.operator, first)
          await fill(other.operator, second)
          const { document } = await exportFile(other.operator)
          const applied = await put(one.operator, document)
          assert.equal(applied.status, 200, applied.text)
          assert.deepEqual(sorted((await exportFile(one.operator)).document), sorted(document))
          assert.deepEqual((await put(one.operator, document)).body.steps, [])
          assert.deepEqual(linksOf(one.panel), linksOf(other.panel))
        } finally {
          await Promise.all([one.panel.close(), other.panel.close()])
        }
      }),
      { numRuns: repetitions('PANEL_DESIRED'), endOnFailure: true },
    )
  })
})

const put = (client: Client, document: object) =>
  client.post<{ steps: unknown[] }>('/desired', { document, prune: 'all' })

/** Ids say in which order things are exported, and are those of each panel. */
const sorted = (document: object): object =>
  Object.fromEntries(
    Object.entries(document as Record<string, unknown>).map(([section, items]) => [
      section,
      Array.isArray(items) ? items.map((item) => JSON.stringify(item)).sort() : items,
    ]),
  )

/** Rules bear their ids in the kernel, which are those of their panel. */
const linksOf = ({ kernel }: Awaited<ReturnType<typeof startWindowPanel>>['panel']): unknown =>
  (JSON.parse(kernel.picture()) as { links: unknown }).links
