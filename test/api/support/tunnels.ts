// Words for tests that speak of tunnels: the smallest request, and a panel over a kernel that fails on demand.
import type {
  ChangeAddressesAnswer,
  CreateTunnelAnswer,
  DeleteTunnelAnswer,
  ListTunnelsAnswer,
  PreviewTunnelAnswer,
  TunnelActionAnswer,
  TunnelView,
  UpdateTunnelAnswer,
} from '@panel/shared/api/tunnels/answers.ts'
import { SMALLEST } from '../../support/records.ts'
import { FakeKernel } from '../../support/fake-kernel.ts'
import { FaultyKernel, type FaultAt } from '../../support/faulty.ts'
import { inProcessHelper } from '../../support/in-process-helper.ts'
import type { Client, Reply } from './client.ts'
import { requestThrough, startPanel, type TestPanel, type TestParts } from './panel.ts'

export { SMALLEST }

export const createTunnel = (client: Client, body: object = {}): Promise<Reply<CreateTunnelAnswer>> =>
  client.post('/tunnels', { ...SMALLEST, ...body })
export const previewTunnel = (client: Client, body: object = {}): Promise<Reply<PreviewTunnelAnswer>> =>
  client.post('/tunnels/preview', { ...SMALLEST, ...body })
export const listTunnels = (client: Client, query = ''): Promise<Reply<ListTunnelsAnswer>> =>
  client.get(`/tunnels${query}`)
export const getTunnel = (client: Client, id: number): Promise<Reply<TunnelView>> => client.get(`/tunnels/${id}`)
export const deleteTunnel = (client: Client, id: number, body?: object): Promise<Reply<DeleteTunnelAnswer>> =>
  client.delete(`/tunnels/${id}`, body)
export const patchTunnel = (client: Client, id: number, body: object): Promise<Reply<UpdateTunnelAnswer>> =>
  client.patch(`/tunnels/${id}`, body)
export const act = (
  client: Client,
  id: number,
  action: TunnelActionAnswer['action'],
  body?: object,
): Promise<Reply<TunnelActionAnswer>> => client.post(`/tunnels/${id}/${action}`, body)
export const addAddress = (client: Client, id: number, body: object): Promise<Reply<ChangeAddressesAnswer>> =>
  client.post(`/tunnels/${id}/addresses`, body)
export const removeAddress = (client: Client, id: number, body: object): Promise<Reply<ChangeAddressesAnswer>> =>
  client.delete(`/tunnels/${id}/addresses`, body)

/** The code of each problem by its field. */
export const codesOf = ({ error }: Reply<unknown>): Record<string, string> =>
  Object.fromEntries(
    ((error.details['fields'] ?? []) as { field: string; code: string }[]).map(({ field, code }) => [field, code]),
  )

/** `arm` has changes of the host fail from now on, counted from there. */
export interface FaultyPanel extends TestPanel {
  readonly host: FakeKernel
  readonly arm: (faultAt: FaultAt) => void
  readonly disarm: () => void
}

export const startFaultyPanel = async (parts: TestParts = {}): Promise<FaultyPanel> => {
  const host = new FakeKernel()
  let faulty = new FaultyKernel(host, () => null)
  // Requested once, when the helper is made.
  const forwarding = new Proxy({}, { get: (_, name) => Reflect.get(faulty.forwarding, name) as unknown })
  // The helper's kernel is the fake one, with the ways to change it replaced by those that fail.
  const kernel = Object.create(host, {
    links: { get: () => faulty.links },
    answers: { get: () => faulty.answers },
    networks: { get: () => faulty.networks },
    units: { get: () => faulty.units },
    networkd: { get: () => faulty.networkd },
    rulesets: { get: () => faulty.rulesets },
    forwarding: { value: forwarding },
  }) as FakeKernel
  const panel = await startPanel({ request: requestThrough(inProcessHelper(kernel).request), ...parts })
  const arm: FaultyPanel['arm'] = (faultAt) => {
    faulty = new FaultyKernel(host, faultAt)
  }
  return { ...panel, host, arm, disarm: () => arm(() => null) }
}
