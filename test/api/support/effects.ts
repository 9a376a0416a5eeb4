// The proof that no setting is without effect: per category a table with one test for every key, and a table that lacks
// one does not compile.
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
