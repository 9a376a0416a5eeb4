// The metrics as a real Prometheus reads them, and the dashboard and the alerts that the package brings for it.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WatchingPanel } from '../../api/support/monitor.ts'
import { PROMETHEUS_FILES, startPrometheus, watchedPanel, type Prometheus } from './watched.ts'

interface Target {
  readonly targets: readonly { readonly expr: string }[]
}
interface Series {
  readonly result: readonly { readonly metric: Record<string, string>; readonly value: [number, string] }[]
}

const dashboard = JSON.parse(readFileSync(join(PROMETHEUS_FILES, 'grafana-dashboard.json'), 'utf8')) as {
  readonly panels: readonly Target[]
  readonly templating: { readonly list: readonly { readonly name: string }[] }
}

/** Puts values in the place of variables, like Grafana. */
const filledIn = (expr: string): string => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')

describe('Prometheus', function () {
  let panel: WatchingPanel
  let prometheus: Prometheus
  before(async () => {
    panel = await watchedPanel()
    prometheus = await startPrometheus(panel)
    while (!(await isRead())) await new Promise((resolve) => setTimeout(resolve, 200))
  })
  after(async () => {
    await prometheus.stop()
    await panel.close()
  })

  /** Until it has started, nothing answers. */
  const isRead = async (): Promise<boolean> => {
    const { data } = await query('tunnel_panel_up').catch(() => ({ data: { result: [] } }))
    return data.result.length > 0
  }
  const query = (expr: string) => prometheus.ask<Series>(`/query?query=${encodeURIComponent(expr)}`)
  const names = async (): Promise<Set<string>> =>
    new Set((await prometheus.ask<string[]>('/label/__name__/values')).data)

  it('keeps what the panel says of a tunnel', async () => {
    const { data } = await query('tunnel_panel_tunnel_state == 1')
    assert.deepEqual(
      data.result.map(({ metric }) => metric['state']),
      ['Up'],
    )
  })

  it('keeps every sample that the panel sends', async () => {
    const { text } = await panel.operator.raw('GET', '/metrics')
    const sent = new Set(text.split('\n').flatMap((line) => /^[a-z]\w*/.exec(line) ?? []))
    const kept = await names()
    assert.ok(sent.size > 20)
    for (const name of sent) assert.ok(kept.has(name), name)
  })

  it('knows the type of each family', async () => {
    const { data } = await prometheus.ask<Record<string, { type: string; help: string }[]>>('/metadata')
    const typeOf = (name: string) => data[`tunnel_panel_${name}`]?.[0]?.type
    assert.equal(typeOf('rule_transmit_bytes'), 'counter')
    assert.equal(typeOf('rule'), 'info')
    assert.equal(typeOf('change_seconds'), 'histogram')
    assert.equal(typeOf('tunnel_state'), 'gauge')
  })

  it('has loaded the alerts of the package', async () => {
    const { data } = await prometheus.ask<{ groups: { rules: { name: string; health: string }[] }[] }>('/rules')
    const rules = data.groups.flatMap((group) => group.rules)
    assert.ok(rules.length > 5)
    assert.ok(rules.some(({ name }) => name === 'TunnelDown'))
  })

  it('can evaluate each query of the dashboard, and has each metric that it names', async () => {
    const kept = await names()
    const expressions = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
    assert.ok(expressions.length > 15)
    for (const expr of expressions) {
      const { status, error } = await query(filledIn(expr))
      assert.equal(status, 'success', `${expr}: ${error}`)
      const named = expr.match(/tunnel_panel_\w+/g) ?? []
      assert.ok(named.length > 0, expr)
      for (const name of named) assert.ok(kept.has(name), `${name} in ${expr}`)
    }
  })

  it('would be refused a query that names no metric of the panel by this check', async () => {
    assert.ok(!(await names()).has('tunnel_panel_no_such_metric'))
    assert.equal((await query('rate(tunnel_panel_up')).status, 'error')
  })

  it('gives the dashboard something to show but for rates, which need time', async () => {
    const gauges = dashboard.panels
      .flatMap(({ targets }) => targets.map(({ expr }) => expr))
      .filter((expr) => !expr.includes('rate('))
    for (const expr of gauges) assert.ok((await query(filledIn(expr))).data.result.length > 0, expr)
  })
})

describe('promtool', function () {
  const promtool = (options: readonly string[], input?: string) =>
    spawnSync('promtool', options, { cwd: PROMETHEUS_FILES, encoding: 'utf8', ...(input !== undefined && { input }) })

  it('finds nothing to say about the metrics', async () => {
    const panel = await watchedPanel()
    const { text } = await panel.operator.raw('GET', '/metrics')
    await panel.close()
    const { status, stdout, stderr } = promtool(['check', 'metrics'], text)
    assert.deepEqual([status, stdout, stderr], [0, '', ''])
  })

  it('would find a metric without help', () => {
    assert.notEqual(promtool(['check', 'metrics'], '# TYPE a_total counter\na_total 1\n').status, 0)
  })

  it('takes the alert rules', () => {
    assert.match(
      execFileSync('promtool', ['check', 'rules', 'alerts.yml'], { cwd: PROMETHEUS_FILES }).toString(),
      /SUCCESS/,
    )
  })

  it('sees each alert fire when it should, and not before', () => {
    const { status, stdout, stderr } = promtool(['test', 'rules', 'alerts.test.yml'])
    assert.equal(status, 0, stdout + stderr)
  })

  it('tests every alert that there is', () => {
    const names = [...readFileSync(join(PROMETHEUS_FILES, 'alerts.yml'), 'utf8').matchAll(/- alert: (\w+)/g)]
    const tests = readFileSync(join(PROMETHEUS_FILES, 'alerts.test.yml'), 'utf8')
    for (const [, name] of names) assert.ok(tests.includes(`alertname: ${name}\n`), name)
  })
})
