// Words for tests of the comparison between host and store.
import type {
  AdoptAnswer,
  ForgetAnswer,
  IgnoreAnswer,
  ReconcileAnswer,
  ReconcileItem,
} from '@panel/shared/api/reconcile.ts'
import type { TunnelActionAnswer } from '@panel/shared/api/tunnels/answers.ts'
import type { LinkConfig, LinkState } from '@panel/shared/tunnel/model.ts'
import type { FakeKernel } from '../../support/fake-kernel.ts'
import { exampleConfig } from '../../support/example.ts'
import type { Client, Reply } from './client.ts'

export const reconcile = (client: Client, query = ''): Promise<Reply<ReconcileAnswer>> =>
  client.get(`/reconcile${query}`)
export const adopt = (client: Client, body: object): Promise<Reply<AdoptAnswer>> =>
  client.post('/reconcile/adopt', body)
export const ignore = (client: Client, body: object): Promise<Reply<IgnoreAnswer>> =>
  client.post('/reconcile/ignore', body)
export const forget = (client: Client, id: number): Promise<Reply<ForgetAnswer>> =>
  client.post(`/reconcile/${id}/forget`)
export const reapply = (client: Client, id: number, body?: object): Promise<Reply<TunnelActionAnswer>> =>
  client.post(`/reconcile/${id}/reapply`, body)

export const itemsOf = async (client: Client, query = ''): Promise<ReconcileItem[]> =>
  (await reconcile(client, query)).body.items

export async function itemOf(client: Client, interface_name: string, query = ''): Promise<ReconcileItem> {
  const items = await itemsOf(client, query)
  const item = items.find((one) => one.interface_name === interface_name)
  if (!item) throw new Error(`${interface_name} is not among ${JSON.stringify(items)}`)
  return item
}

/** A tunnel that was made by hand: up, and with one address. */
export function byHand(fields: Partial<LinkConfig> = {}, is_up = true): LinkState {
  return {
    is_up,
    config: {
      ...exampleConfig,
      remote_endpoint: '198.51.100.200',
      addresses: [{ address: '10.10.7.1', peer_address: '', prefix_length: 30 }],
      ...fields,
    },
  }
}

export const plantByHand = (
  kernel: FakeKernel,
  name: string,
  fields: Partial<LinkConfig> = {},
  more: { is_up?: boolean; unmodelled?: string[] } = {},
): void => kernel.plant(name, { state: byHand(fields, more.is_up), unmodelled: more.unmodelled ?? [] })
