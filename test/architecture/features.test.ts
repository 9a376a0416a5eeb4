// The walls inside the web daemon: which feature may import which, and that the picture of its folders has no cycle.
import assert from 'node:assert/strict'
import { findCycle, graphOf, readImports, webDaemonFolder, type Graph } from './import-graph.ts'

/**
 * Every import between features that there may be. A feature stands below those that it imports, so the table has no
 * cycle by its order.
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
  'safe-apply': [],
  // A tunnel takes addresses from a pool and defaults from the settings.
  tunnels: ['settings', 'pools'],
  // Reads the capabilities of the host.
  forwarding: ['system'],
  // A rule relays over a tunnel and needs forwarding.
  routes: ['settings', 'tunnels', 'forwarding'],
  // Reads what a change of a tunnel or a rule would interrupt.
  impact: ['tunnels', 'forwarding', 'routes'],
  monitor: ['tunnels'],
  // Takes destinations out of rotation that do not answer, and whose tunnel is down.
  failover: ['routes', 'monitor'],
  metrics: ['settings', 'tunnels', 'routes'],
  webhooks: [],
  // Reads what the others keep in memory.
  exposition: ['settings', 'tunnels', 'routes', 'metrics'],
  diagnostics: ['tunnels', 'forwarding', 'monitor', 'metrics'],
  reconcile: ['settings', 'pools', 'tunnels', 'routes', 'monitor'],
  backup: ['settings', 'audit', 'pools', 'tunnels', 'routes'],
}

describe('The folders of the web daemon', function () {
  this.timeout(120_000)
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

  for (const [feature, allowed] of Object.entries(FEATURES))
    it(`let ${feature} import ${allowed.length === 0 ? 'no other feature' : allowed.join(', ')}`, () => {
      const imported = featuresIn(graph.get(`features/${feature}`) ?? [])
      assert.deepEqual(imported, [...allowed].sort(), 'the table of features in this file and the imports differ')
    })

  it('have their features listed after those that they import', () => {
    const order = Object.keys(FEATURES)
    for (const [feature, allowed] of Object.entries(FEATURES))
      for (const other of allowed)
        assert.ok(order.indexOf(other) < order.indexOf(feature), `${feature} is listed before ${other}`)
  })
})

describe('The graph of imports', () => {
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
