// What the page shows in English, whatever the language: each place has its reason, and no sentence of the panel is
// among them.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../ui/src', import.meta.url))

const REASONS: Readonly<Record<string, string>> = {
  'features/audit/Entry.svelte': 'the steps that root took, as the log of the host has them',
  'features/routes/Connections.svelte': 'the state of a connection in the words of conntrack',
  'features/settings/Setting.svelte': 'a setting of a newer daemon, which this page has no words for',
  'features/system/ApiOperation.svelte': 'what the description of the API says of an answer',
  'features/system/ApiPage.svelte': 'the summaries of the description of the API',
  'features/system/SchemaFields.svelte': 'what the description of the API says of a field',
}

describe('English on the page', () => {
  it('stands only where the words are not the panel’s own', () => {
    const marked = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.svelte') && readFileSync(join(ROOT, file), 'utf8').includes('lang="en"'),
    )
    assert.deepEqual(marked.sort(), Object.keys(REASONS).sort())
  })
})
