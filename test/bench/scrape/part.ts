// What Prometheus costs the panel: /metrics with a thousand tunnels and ten thousand rules, over what is in memory. The
// kernel is a fake, since a scrape reads nothing of it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '@panel/web-daemon/app/store.ts'
import { insertRoute } from '@panel/web-daemon/features/routes/store-write.ts'
import { insertTunnel } from '@panel/web-daemon/features/tunnels/store.ts'
import { startPanel, type TestPanel } from '../../api/support/panel.ts'
import type { Client } from '../../api/support/client.ts'
import { namedRoute, newDestination } from '../../support/records.ts'
import { FakeHost } from '../../support/fake-host.ts'
import { settingsWith } from '../../support/settings.ts'
import { addressOf, nameOf, NUMBERS, tunnelOf } from '../driver/rows.ts'
import { mebibytes, ms, timed, type Section } from '../table.ts'
import { median } from '../figures.ts'

const TUNNELS = 1000
const RULES = 10_000
const ROUNDS = 15
const AIM_MS = 300

export async function scrapePart(tell: (section: Section) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-bench-'))
  const panel = await crowdedPanel(join(folder, 'panel.db'))
  try {
    const operator = await panel.setUp()
    await operator.put('/settings', { 'metrics.prometheus_enabled': true })
    for (const which of ['all', 'none'] as const) tell(await measure(panel, operator, which))
  } finally {
    await panel.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function crowdedPanel(path: string): Promise<TestPanel> {
  const db = await openStore(path)
  await db.transaction().execute(async (transaction) => {
    for (const number of NUMBERS(TUNNELS))
      await insertTunnel(transaction, tunnelOf(number, { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' }))
    for (const number of NUMBERS(RULES)) await insertRoute(transaction, ruleOf(number))
  })
  const host = new FakeHost()
  host.traffic(Object.fromEntries(NUMBERS(TUNNELS).map((number) => [nameOf(number), [number, number]])))
  const settings = settingsWith({ 'metrics.sample_interval_seconds': 600 })
  const panel = await startPanel({ db, metrics: { host, settings } })
  await panel.monitor.start()
  await panel.metrics.start()
  await panel.metrics.sampler.take()
  await panel.watch.pass('start')
  await panel.routeWatch.pass('start')
  await panel.traffic.count()
  return panel
}

const ruleOf = (number: number) =>
  namedRoute({
    route_rule_id: number,
    route_rule_title: `Rule number ${number}`,
    bind_port: number,
    sort_order: number,
    destinations: [newDestination(addressOf(1), 80)],
  })

async function measure(panel: TestPanel, operator: Client, which: 'all' | 'none'): Promise<Section> {
  await operator.put('/settings', { 'metrics.prometheus_rules': which })
  const [walls, processor]: [number[], number[]] = [[], []]
  let bytes = 0
  let lines = 0
  for (let round = 0; round < ROUNDS; round += 1) {
    const [began, used] = [performance.now(), process.cpuUsage()]
    const { status, text } = await operator.raw('GET', `${new URL(panel.base).pathname}metrics`)
    const { user, system } = process.cpuUsage(used)
    if (status !== 200) throw new Error(`/metrics answered ${status}`)
    if (round > 2) walls.push(performance.now() - began)
    if (round > 2) processor.push((user + system) / 1000)
    ;[bytes, lines] = [Buffer.byteLength(text), text.split('\n').length - 1]
  }
  const expected = which === 'all' ? RULES * 12 : TUNNELS
  if (lines < expected) throw new Error(`/metrics has ${lines} lines, fewer than ${expected}`)
  const used = median(processor)
  return {
    title: `scrape: /metrics with ${TUNNELS} tunnels and ${which === 'all' ? `${RULES} rules` : 'no rules'}: ${lines} lines`,
    rows: [
      timed(`GET /metrics (${mebibytes(bytes)}), its client in the same process`, walls),
      { what: '  of that, processor time', median: ms(used), aim: `< ${AIM_MS} ms`, isMet: used < AIM_MS },
    ],
  }
}
