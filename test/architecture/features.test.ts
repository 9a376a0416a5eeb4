// The import walls between the rooms, and those inside the web daemon: which feature may import which. The folders of
// each room import one another in one direction: their graph has no cycle.
import assert from 'node:assert/strict'
import { dirname } from 'node:path'
import { findCycle, graphOf, readBreaches, readImports, webDaemonFolder, type Graph } from './import-graph.ts'

/**
 * What each feature stands on: those that it imports and that none of its other imports stands on already. It may
 * import these and everything below them. A feature is listed after those that it stands on.
 */
const FEATURES: Readonly<Record<string, readonly string[]>> = {
  settings: [],
  audit: [],
  auth: [],
  docs: [],
  // Health answers in full only once there is an account.
  system: ['auth'],
  pools: [],
  listeners: [],
  // A tunnel takes addresses from a pool and defaults from the settings.
  tunnels: ['settings', 'pools'],
  // A network lies behind tunnels.
  networks: ['tunnels'],
  // Reads the capabilities of the host.
  forwarding: ['system'],
  // A rule relays over a tunnel and needs forwarding.
  routes: ['tunnels', 'forwarding'],
  // Foresees what putting rules back would change.
  'safe-apply': ['networks', 'routes'],
  // Counts what goes through a rule.
  traffic: ['routes'],
  // Reads what a change of a tunnel, a network or a rule would interrupt.
  impact: ['networks', 'traffic'],
  monitor: ['tunnels'],
  // Takes destinations out of rotation that do not answer, and what leads over a tunnel that is down.
  failover: ['networks', 'routes', 'monitor'],
  // Why a rule does not relay may be its traffic, or that its destinations are down.
  'rule-health': ['traffic', 'failover'],
  metrics: ['traffic'],
  webhooks: [],
  // Reads what the others keep in memory.
  exposition: ['metrics'],
  diagnostics: ['monitor', 'metrics'],
  reconcile: ['rule-health'],
  // Keeps what reconciliation, monitor and health of rules find.
  incidents: ['reconcile'],
  backup: ['audit', 'networks', 'routes'],
  // Encrypts a backup, and sends it to the targets of notifications.
  'backup-elsewhere': ['webhooks', 'backup'],
  // Keeps objects as a backup has them, follows the tables of a window, and compares with the host.
  revisions: ['safe-apply', 'reconcile', 'backup'],
  // Takes the panel to a file as a revision takes it back.
  desired: ['revisions'],
}

describe('The folders of the web daemon', function () {
  let graph: Graph

  before(async () => (graph = graphOf(await readImports('web-daemon'), webDaemonFolder)))

  const featuresIn = (folders: Iterable<string>): string[] =>
    [...folders].flatMap((folder) => (folder.startsWith('features/') ? [folder.slice('features/'.length)] : [])).sort()

  it('are found at all', () => {
    assert.ok(graph.size > 20)
    assert.deepEqual(featuresIn(graph.keys()), Object.keys(FEATURES).sort())
  })

  it('import one another without a cycle', () => {
    const cycle = findCycle(graph)
    assert.equal(cycle, null, `a cycle: ${cycle?.join(' -> ')}`)
  })

  const below = (feature: string): Set<string> =>
    new Set((FEATURES[feature] ?? []).flatMap((other) => [other, ...below(other)]))

  for (const [feature, named] of Object.entries(FEATURES))
    it(`let ${feature} import ${named.length === 0 ? 'no other feature' : `${named.join(', ')} and what is below`}`, () => {
      const imported = featuresIn(graph.get(`features/${feature}`) ?? [])
      const isBelowAnother = (one: string): boolean => imported.some((other) => below(other).has(one))
      const highest = imported.filter((one) => !isBelowAnother(one))
      assert.deepEqual(highest, [...named].sort(), 'the table of features in this file and the imports differ')
    })

  it('have their features listed after those that they import', () => {
    const order = Object.keys(FEATURES)
    for (const [feature, allowed] of Object.entries(FEATURES))
      for (const other of allowed)
        assert.ok(order.indexOf(other) < order.indexOf(feature), `${feature} is listed before ${other}`)
  })
})

/** A file directly in its room is a node of its own, and so is each folder. */
function nodeOf(path: string): string {
  const folder = dirname(path)
  return folder.includes('/') ? folder : path
}

describe('The graph of the folders', () => {
  for (const room of ['shared', 'root-helper', 'ui/src/components'])
    it(`of ${room} has no cycle`, async () => {
      const graph = graphOf(await readImports(room), nodeOf)
      assert.ok(graph.size > 5)
      assert.equal(findCycle(graph), null)
    })
})

describe('The graph of imports', () => {
  it('keeps the walls standing that .dependency-cruiser.cjs names', async () => {
    assert.deepEqual(await readBreaches(), [])
  })

  it('finds a cycle where there is one', () => {
    const graph = graphOf(
      [
        { from: 'a/x.ts', to: 'b/x.ts' },
        { from: 'b/y.ts', to: 'c/x.ts' },
        { from: 'c/y.ts', to: 'b/x.ts' },
      ],
      (path) => path.split('/')[0] ?? null,
    )
    assert.deepEqual(findCycle(graph), ['b', 'c', 'b'])
  })
})
