// What a tunnel is called on the page: by people first, then by its interface, everywhere alike.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { byTunnelName, tunnelText } from '../../../ui/src/core/tunnel-names.ts'

const PAGE = fileURLToPath(new URL('../../../ui/src', import.meta.url))

/** The files that may read a name of a tunnel, and for what; any other shows TunnelName or tunnelText. */
const READERS: Readonly<Record<string, string>> = {
  'components/InterfaceName.svelte': 'finds the tunnel by its interface',
  'components/TunnelName.svelte': 'is how it is shown',
  'components/chart/live-rates.svelte.ts': 'finds the readings by the interface',
  'core/own-access-consent.ts': 'has an answer that names the interface alone',
  'core/tunnel-names.ts': 'is how it is written',
  'features/incidents/labels.ts': 'speaks of what the kernel reported, by interfaces',
  'features/reconcile/Adopt.svelte': 'is about an interface that is no tunnel of the panel yet',
  'features/reconcile/ListPage.svelte': 'takes the interface as the key of a row',
  'features/reconcile/actions.ts': 'sends the interface, and picks the fields of the names',
  'features/routes/ListPage.svelte': 'is searched by either',
  'features/routes/rule-groups.ts': 'takes the interface as the key of a group',
  'features/routes/rule-path.ts': 'draws both, on two lines of a hop',
  'features/routes/save.ts': 'saves columns of a table',
  'features/system/Limits.svelte': 'takes the interface as a key',
  'features/tunnels/HistoryPage.svelte': 'passes the interface to what finds readings by it',
  'features/tunnels/NewEndpoints.svelte': 'is a form with a field for each',
  'features/tunnels/Throughput.svelte': 'finds the readings by the interface',
  'features/tunnels/ThroughputChart.svelte': 'finds the readings by the interface',
  'features/tunnels/TunnelCell.svelte': 'edits the one beside the other',
  'features/tunnels/TunnelGroup.svelte': 'sums up the readings of its interfaces',
  'features/tunnels/TunnelMenu.svelte': 'copies that of the interface, for a shell',
  'features/tunnels/actions.ts': 'picks the fields of the names',
  'features/tunnels/options.ts': 'is a form with a field for each',
  'features/tunnels/request.ts': 'is a form with a field for each',
  'features/tunnels/row-edit.svelte.ts': 'edits the one of them',
  'features/tunnels/save.ts': 'saves columns of a table',
}

const sources = readdirSync(PAGE, { recursive: true, encoding: 'utf8' }).filter((name) => /\.(svelte|ts)$/.test(name))
const read = (name: string): string => readFileSync(join(PAGE, name), 'utf8')

describe('What a tunnel is called', () => {
  it('is its display name with that of its interface, or the latter alone', () => {
    assert.equal(tunnelText({ interface_name: 'gre-a-2', display_name: 'Frankfurt' }), 'Frankfurt · gre-a-2')
    assert.equal(tunnelText({ interface_name: 'gre-a-1', display_name: '' }), 'gre-a-1')
  })

  it('orders tunnels by what is read first, with numbers as numbers', () => {
    const named = (interface_name: string, display_name = '') => ({ interface_name, display_name })
    const all = [named('gre-a-10'), named('gre-a-9'), named('gre-a-1', 'Tokyo'), named('gre-a-2', 'Berlin')]
    assert.deepEqual(all.sort(byTunnelName).map(tunnelText), [
      'Berlin · gre-a-2',
      'gre-a-9',
      'gre-a-10',
      'Tokyo · gre-a-1',
    ])
  })

  it('is nowhere on the page put together otherwise', () => {
    const readers = sources.filter((name) => /\b(interface_name|display_name)\b/.test(read(name)))
    assert.deepEqual(readers.sort(), Object.keys(READERS).sort())
  })

  it('is nowhere on the page one of the names alone', () => {
    const shown = sources
      .filter((name) => name.endsWith('.svelte') && name !== 'components/TunnelName.svelte')
      .filter((name) => />\s*\{[\w.]*\b(interface_name|display_name)\}/.test(read(name)))
    assert.deepEqual(shown, ['features/tunnels/TunnelCell.svelte'])
  })
})
