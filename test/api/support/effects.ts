// The proof that no setting is without effect: per category a table with one test for every key, and a table that lacks
// one does not compile.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SettingCategory } from '@panel/shared/api/settings.ts'
import type { SettingKey } from '@panel/web-daemon/features/settings/definitions.ts'
import type { Client } from './client.ts'
import { startPanel, type TestPanel, type TestParts } from './panel.ts'

export type KeysOf<C extends SettingCategory> = Extract<SettingKey, `${C}.${string}`>

interface Proof {
  /** The rest of the sentence after the key. */
  readonly does: string
  readonly test: (client: Client, panel: TestPanel) => Promise<void>
}

/** What comes soon, and not at a time that a busy machine keeps. */
export async function eventually(holds: () => boolean | Promise<boolean>, within_ms = 10_000): Promise<void> {
  for (const from = performance.now(); !(await holds()); await sleep(10))
    assert.ok(performance.now() - from < within_ms, `not within ${within_ms} ms`)
}

export const effectsOf = <C extends SettingCategory>(
  category: C,
  proofs: { readonly [K in KeysOf<C>]: Proof },
  parts: () => TestParts = () => ({}),
): void => {
  describe(`A setting of the category ${category}`, () => {
    let panel: TestPanel
    let client: Client
    beforeEach(async () => {
      panel = await startPanel(parts())
      client = await panel.setUp()
    })
    afterEach(() => panel.close())

    for (const [key, { does, test }] of Object.entries<Proof>(proofs)) it(`${key} ${does}`, () => test(client, panel))
  })
}
