// Words for tests of diagnostics: a panel with one tunnel, whose other end answers as the test says.
import type {
  DiagnosticRun,
  ListRunsAnswer,
  MtuProbeAnswer,
  PingPacketEvent,
  PingSummaryEvent,
  TracerouteAnswer,
} from '@panel/shared/api/diagnostics.ts'
import type { FakeKernel } from '../../support/fake-kernel.ts'
import type { Client, Reply } from './client.ts'
import { startPanel, type TestPanel, type TestParts } from './panel.ts'
import { openStream, type OpenStream } from './streams.ts'
import { createTunnel } from './tunnels.ts'

export interface TriedPanel extends TestPanel {
  readonly operator: Client
  readonly tunnel_id: number
  readonly name: string
  /** Inside the tunnel. */
  readonly own: string
  readonly far: string
}

export async function startTried(parts: TestParts = {}, kernel?: FakeKernel): Promise<TriedPanel> {
  const panel = await startPanel(parts)
  const operator = await panel.setUp()
  const { tunnel } = (await createTunnel(operator, { addresses: [{ address: '10.77.0.1', prefix_length: 30 }] })).body
  return {
    ...panel,
    ...(kernel && { kernel }),
    operator,
    tunnel_id: tunnel.tunnel_id,
    name: tunnel.interface_name,
    own: '10.77.0.1',
    far: '10.77.0.2',
  }
}

export const ping = (client: Client, tunnel_id: number, body: object = {}): Promise<OpenStream> =>
  openStream(client, `/tunnels/${tunnel_id}/diagnostics/ping`, { method: 'POST', body })

/** To its end. */
export async function pinged(
  client: Client,
  tunnel_id: number,
  body: object = {},
): Promise<{ run: DiagnosticRun; packets: PingPacketEvent[]; summary: PingSummaryEvent; names: string[] }> {
  const open = await ping(client, tunnel_id, body)
  await open.ended
  const of = (name: string): unknown[] =>
    open
      .events()
      .filter((event) => event.name === name)
      .map(({ data }) => data)
  return {
    run: of('run')[0] as DiagnosticRun,
    packets: of('packet') as PingPacketEvent[],
    summary: of('summary')[0] as PingSummaryEvent,
    names: open.events().map(({ name }) => name),
  }
}

export const listRuns = (client: Client, query = ''): Promise<Reply<ListRunsAnswer>> =>
  client.get(`/diagnostics/runs${query}`)
export const getRun = (client: Client, id: number): Promise<Reply<DiagnosticRun>> =>
  client.get(`/diagnostics/runs/${id}`)

export const probeMtu = (client: Client, tunnel_id: number, body: object = {}): Promise<Reply<MtuProbeAnswer>> =>
  client.post(`/tunnels/${tunnel_id}/diagnostics/mtu-probe`, { timeout_seconds: 0.05, ...body })
export const trace = (client: Client, tunnel_id: number, body: object = {}): Promise<Reply<TracerouteAnswer>> =>
  client.post(`/tunnels/${tunnel_id}/diagnostics/traceroute`, { timeout_seconds: 0.05, ...body })

/** A way that carries packets up to `mtu`, IPv4 and ICMP headers among them, and drops larger ones without a word. */
export const carries =
  (mtu: number) =>
  ({ packet_size }: { packet_size: number }) =>
    packet_size + 28 > mtu ? null : {}
