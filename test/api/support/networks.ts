// Words for tests that speak of networks behind tunnels: two tunnels, and the smallest request over them.
import type {
  ChangeNetworkAnswer,
  DeleteNetworkAnswer,
  ListNetworksAnswer,
  NetworkActionAnswer,
  NetworkView,
  PreviewNetworkAnswer,
} from '@panel/shared/api/networks/answers.ts'
import type { Client, Reply } from './client.ts'
import { startPanel, type TestPanel } from './panel.ts'
import { createTunnel } from './tunnels.ts'

/** Over the first tunnel alone. */
export const NETWORK = { destination: '10.50.0.0/16', paths: [{ tunnel_id: 1 }] } as const

/** Over the first tunnel, and over the second where that is out. */
export const PREFERRED = [
  { tunnel_id: 1, preference: 10, weight: 1 },
  { tunnel_id: 2, preference: 20, weight: 1 },
] as const

/** Makes gre-a-1 and gre-a-2. */
export async function makeTunnels(client: Client): Promise<void> {
  for (const remote_endpoint of ['203.0.113.1', '203.0.113.2']) {
    const { status, text } = await createTunnel(client, { remote_endpoint })
    if (status !== 201) throw new Error(`A tunnel was not made: ${text}`)
  }
}

/** Called once in a suite: each test has a panel of its own with those. */
export function eachPanelWithTunnels(
  take: (made: { readonly panel: TestPanel; readonly client: Client }) => void,
): void {
  let panel: TestPanel
  beforeEach(async () => {
    panel = await startPanel()
    const client = await panel.setUp()
    await makeTunnels(client)
    take({ panel, client })
  })
  afterEach(() => panel.close())
}

export const createNetwork = (client: Client, body: object = {}): Promise<Reply<ChangeNetworkAnswer>> =>
  client.post('/networks', { ...NETWORK, ...body })
export const previewNetwork = (client: Client, body: object = {}): Promise<Reply<PreviewNetworkAnswer>> =>
  client.post('/networks/preview', body)
export const listNetworks = (client: Client, query = ''): Promise<Reply<ListNetworksAnswer>> =>
  client.get(`/networks${query}`)
export const getNetwork = (client: Client, id: number): Promise<Reply<NetworkView>> => client.get(`/networks/${id}`)
export const patchNetwork = (
  client: Client,
  id: number,
  body: object,
  sending: object = {},
): Promise<Reply<ChangeNetworkAnswer>> => client.patch(`/networks/${id}`, body, sending)
export const deleteNetwork = (client: Client, id: number, body?: object): Promise<Reply<DeleteNetworkAnswer>> =>
  client.delete(`/networks/${id}`, body)
export const movePath = (
  client: Client,
  network_id: number,
  tunnel_id: number,
  action: 'take-out' | 'put-back',
): Promise<Reply<NetworkActionAnswer>> => client.post(`/networks/${network_id}/paths/${tunnel_id}/${action}`)

/** What becomes of each path. */
export const statesOf = ({ paths }: Pick<NetworkView, 'paths'>): Record<string, string> =>
  Object.fromEntries(paths.map(({ interface_name, state }) => [interface_name, state]))
