// A panel with something to say in every family, and a real Prometheus that reads it.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createTcp, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CreateTokenAnswer } from '@panel/shared/api/tokens.ts'
import { madeRoute } from '../../api/support/routes.ts'
import { startWatching, type WatchingPanel } from '../../api/support/monitor.ts'
import { FakeHost } from '../../support/fake-host.ts'
import { settingsWith } from '../../support/settings.ts'

export const PROMETHEUS_FILES = join(import.meta.dirname, '../../../packaging/prometheus')

export async function watchedPanel(): Promise<WatchingPanel> {
  const host = new FakeHost()
  for (const [name, value] of [
    ['count', 12],
    ['max', 262_144],
  ])
    host.files.set(`/proc/sys/net/netfilter/nf_conntrack_${name}`, `${value}\n`)
  const panel = await startWatching({
    metrics: { host, settings: settingsWith({ 'metrics.sample_interval_seconds': 600 }) },
  })
  const { name } = await panel.up()
  await madeRoute(panel.operator)
  panel.host.rulesets.relay(1, { rx_bytes: 10, tx_bytes: 20, rx_packets: 1, tx_packets: 2 })
  host.traffic({ [name]: [1000, 2000] })
  await panel.metrics.start()
  await panel.metrics.sampler.take()
  await panel.traffic.sample()
  await panel.traffic.count()
  await panel.watch.pass('start')
  await panel.routeWatch.pass('start')
  await panel.operator.put('/settings', { 'metrics.prometheus_enabled': true })
  return panel
}

export interface Prometheus {
  /** What its API answers below /api/v1. */
  readonly ask: <T>(path: string) => Promise<{ readonly status: string; readonly data: T; readonly error?: string }>
  readonly stop: () => Promise<void>
}

/** It reads the panel by an API token that opens nothing else. */
export async function startPrometheus(panel: WatchingPanel): Promise<Prometheus> {
  const folder = mkdtempSync(join(tmpdir(), 'panel-prometheus-'))
  const port = await freePort()
  writeFileSync(join(folder, 'prometheus.yml'), configuration(new URL(panel.base).host, await metricsToken(panel)))
  const options = [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--log.level=warn',
  ]
  const server = spawn('prometheus', options, { stdio: ['ignore', 'ignore', 'pipe'] })
  const ask: Prometheus['ask'] = async (path) =>
    (await (await fetch(`http://127.0.0.1:${port}/api/v1${path}`)).json()) as never
  return {
    ask,
    stop: async () => {
      await ended(server)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const configuration = (panel: string, token: string): string => `
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: ['${PROMETHEUS_FILES}/alerts.yml']
scrape_configs:
  - job_name: tunnel-panel
    authorization: { credentials: '${token}' }
    static_configs: [{ targets: ['${panel}'] }]
`

/** Makes a token the way the operator does on the page of the account. */
async function metricsToken({ operator }: WatchingPanel): Promise<string> {
  const { status, body } = await operator.post<CreateTokenAnswer>('/auth/tokens', {
    title: 'Prometheus',
    scopes: ['metrics'],
  })
  assert.equal(status, 201)
  return body.text
}

async function freePort(): Promise<number> {
  const server = createTcp()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
