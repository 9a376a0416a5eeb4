// No setting without effect: every key is read by something. What a reading changes is proven key by key in
// test/api/settings-effect-*.test.ts.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SETTING_KEYS, type SettingKey } from '@panel/web-daemon/features/settings/definitions.ts'

const DAEMON = fileURLToPath(new URL('../../../web-daemon', import.meta.url))

/** The sources of the daemon that read settings and are not the settings themselves. */
const sources = readdirSync(DAEMON, { recursive: true, encoding: 'utf8' })
  .filter(
    (path) =>
      path.endsWith('.ts') &&
      (!path.startsWith('features/settings/') || path === 'features/settings/naming.ts') &&
      !path.includes('node_modules'),
  )
  .map((path) => ({ path, text: readFileSync(join(DAEMON, path), 'utf8') }))
const readersOf = (key: SettingKey): string[] =>
  sources.filter(({ text }) => text.includes('settings') && text.includes(`'${key}'`)).map(({ path }) => path)

describe('A setting', () => {
  for (const key of SETTING_KEYS) {
    // GET /settings tells the page, which shows everything as the category display says.
    it(`${key} is read by ${key.startsWith('display.') ? 'the page' : 'the daemon'}`, () =>
      assert.ok(key.startsWith('display.') || readersOf(key).length > 0))
  }
})
