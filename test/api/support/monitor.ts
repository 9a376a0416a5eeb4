// Words for tests of the watching: a panel whose probes go nowhere and have the answers that the test wishes.
import type {
  MonitorEvent,
  MonitorHistoryAnswer,
  MonitorSnapshot,
  MonitorStatusAnswer,
  MonitorSummaryAnswer,
  MonitorToggleAnswer,
} from '@panel/shared/api/monitor.ts'
import { verbatim } from '@panel/shared/messages/message.ts'
import { watchKernel } from '@panel/web-daemon/platform/helper/kernel-events.ts'
import { makeLogger } from '@panel/web-daemon/platform/log.ts'
import type { TcpProbeResult } from '@panel/web-daemon/features/monitor/classify.ts'
import { eventually } from '../../support/eventually.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FakeProber } from '../../support/fake-prober.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import type { Client, Reply } from './client.ts'
import { requestThrough, startPanel, type TestPanel, type TestParts } from './panel.ts'
import { createTunnel } from './tunnels.ts'

export const statusOf = async (client: Client, id: number): Promise<MonitorStatusAnswer> =>
  (await client.get<MonitorStatusAnswer>(`/tunnels/${id}/status`)).body
export const summaryOf = async (client: Client): Promise<MonitorSummaryAnswer> =>
  (await client.get<MonitorSummaryAnswer>('/monitor/summary')).body
export const historyOf = (client: Client, id: number, query = ''): Promise<Reply<MonitorHistoryAnswer>> =>
  client.get(`/tunnels/${id}/history${query}`)
export const toggle = (client: Client, id: number, way: 'enable' | 'disable'): Promise<Reply<MonitorToggleAnswer>> =>
  client.post(`/tunnels/${id}/monitor/${way}`)

export interface WatchingPanel extends TestPanel {
  readonly prober: FakeProber
  readonly host: FakeKernel
  readonly operator: Client
  /** What a knock finds, and the ends of those there were. */
  readonly knocks: { finds: TcpProbeResult; readonly requests: string[] }
  /** Makes a tunnel and waits until it is probed; gives its id. */
  readonly probed: (body?: object) => Promise<{ tunnel_id: number; name: string }>
  /** The same, with enough answers to be Up. */
  readonly up: (body?: object) => Promise<{ tunnel_id: number; name: string }>
  /** Resolves once the state is `state`. */
  readonly until: (tunnel_id: number, state: string) => Promise<void>
}

export const startWatching = async (parts: TestParts = {}, host = new FakeKernel()): Promise<WatchingPanel> => {
  const prober = new FakeProber()
  const helper = inProcessHelper(host)
  const knocks: WatchingPanel['knocks'] = {
    finds: { isAlive: false, detail: verbatim('port 22 is silent') },
    requests: [],
  }
  const knock = async ({ source, target }: { source: string; target: string }): Promise<TcpProbeResult> => {
    knocks.requests.push(`${source} ${target}`)
    return knocks.finds
  }
  const panel = await startPanel({
    request: prober.asking(requestThrough(helper.request)),
    stream: prober.streaming(helper.stream),
    monitor: { tcpProbe: knock, pauses: { first: 5, last: 20 } },
    ...parts,
  })
  const kernel = watchKernel({
    stream: helper.stream,
    logger: makeLogger({ write: () => undefined }),
    listener: (events) => panel.bus.publish('host.changed', { events }),
  })
  await panel.monitor.start()
  await eventually(() => panel.monitor.isRunning || prober.refusal !== null, 'the prober runs')
  const operator = parts.store === undefined ? await panel.setUp() : await panel.setUp().catch(() => panel.signIn())
  const probed: WatchingPanel['probed'] = async (body = {}) => {
    const made = await createTunnel(operator, body)
    if (made.status !== 201) throw new Error(made.text)
    const { tunnel_id, interface_name: name } = made.body.tunnel
    await eventually(() => prober.of(name) !== undefined, `${name} is probed`)
    return { tunnel_id, name }
  }
  const close = async (): Promise<void> => {
    await kernel.close()
    await panel.close()
  }
  const until = (tunnel_id: number, state: string): Promise<void> =>
    eventually(
      () => panel.monitor.tunnels.of(tunnel_id)?.verdict.state === state,
      `${tunnel_id} is ${state} and not ${panel.monitor.tunnels.of(tunnel_id)?.verdict.state}`,
    )
  const up: WatchingPanel['up'] = async (body) => {
    const made = await probed(body)
    prober.answer(made.name, 5)
    return made
  }
  return { ...panel, prober, host, operator, knocks, probed, up, until, close }
}

/** The states in the order of the stream. */
export const wayOf = (events: readonly MonitorEvent[]): string[] =>
  events.map(({ from_state, to_state }) => `${from_state} to ${to_state}`)
export const pictureOf = (tunnels: readonly MonitorSnapshot[]): string[] =>
  tunnels.map(({ interface_name, state }) => `${interface_name} ${state}`)
