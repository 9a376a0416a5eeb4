// Helpers for tests of relay rules: the smallest request, and requests about one rule.
import type { TunnelRoutesAnswer } from '@panel/shared/api/tunnels/dependent-routes.ts'
import type { ForwardingAnswer, ForwardingChangeAnswer } from '@panel/shared/api/forwarding.ts'
import type {
  AllowedSourcesAnswer,
  ApplyAllAnswer,
  ChangeRouteAnswer,
  DeleteRouteAnswer,
  DestinationsAnswer,
  DuplicateRouteAnswer,
  ListRoutesAnswer,
  PreviewRouteAnswer,
  ReorderAnswer,
  RouteActionAnswer,
  RouteAnswer,
  UpdateRouteAnswer,
} from '@panel/shared/api/routes/answers.ts'
import { SMALLEST_RULE } from '../../support/records.ts'
import type { Client, Reply } from './client.ts'

export { SMALLEST_RULE }

export const createRoute = (client: Client, body: object = {}): Promise<Reply<ChangeRouteAnswer>> =>
  client.post('/routes', { ...SMALLEST_RULE, ...body })
export const previewRoute = (client: Client, body: object = {}): Promise<Reply<PreviewRouteAnswer>> =>
  client.post('/routes/preview', { ...SMALLEST_RULE, ...body })
export const listRoutes = (client: Client, query = ''): Promise<Reply<ListRoutesAnswer>> =>
  client.get(`/routes${query}`)
export const getRoute = (client: Client, id: number): Promise<Reply<RouteAnswer>> => client.get(`/routes/${id}`)
export const patchRoute = (client: Client, id: number, body: object): Promise<Reply<UpdateRouteAnswer>> =>
  client.patch(`/routes/${id}`, body)
export const deleteRoute = (client: Client, id: number, body?: object): Promise<Reply<DeleteRouteAnswer>> =>
  client.delete(`/routes/${id}`, body)
export const actOnRoute = (
  client: Client,
  id: number,
  action: RouteActionAnswer['action'],
  body?: object,
): Promise<Reply<RouteActionAnswer>> => client.post(`/routes/${id}/${action}`, body)
export const duplicateRoute = (client: Client, id: number): Promise<Reply<DuplicateRouteAnswer>> =>
  client.post(`/routes/${id}/duplicate`)
export const reorder = (client: Client, route_rule_ids: unknown): Promise<Reply<ReorderAnswer>> =>
  client.post('/routes/reorder', { route_rule_ids })
export const applyAll = (client: Client): Promise<Reply<ApplyAllAnswer>> => client.post('/routes/apply-all')
export const addDestination = (
  client: Client,
  id: number,
  body: object,
): Promise<Reply<ChangeRouteAnswer & DestinationsAnswer>> => client.post(`/routes/${id}/destinations`, body)
export const removeDestination = (
  client: Client,
  id: number,
  body: object,
): Promise<Reply<UpdateRouteAnswer & DestinationsAnswer>> => client.delete(`/routes/${id}/destinations`, body)
export const addSource = (
  client: Client,
  id: number,
  body: object,
): Promise<Reply<ChangeRouteAnswer & AllowedSourcesAnswer>> => client.post(`/routes/${id}/allowed-sources`, body)
export const removeSource = (
  client: Client,
  id: number,
  body: object,
): Promise<Reply<ChangeRouteAnswer & AllowedSourcesAnswer>> => client.delete(`/routes/${id}/allowed-sources`, body)
export const tunnelRoutes = (client: Client, id: number): Promise<Reply<TunnelRoutesAnswer>> =>
  client.get(`/tunnels/${id}/routes`)
export const forwarding = (client: Client): Promise<Reply<ForwardingAnswer>> => client.get('/system/forwarding')
export const enableForwarding = (client: Client, body?: object): Promise<Reply<ForwardingChangeAnswer>> =>
  client.post('/system/forwarding/enable', body)

/** Creates it, and gives back the rule. */
export const madeRoute = async (client: Client, body: object = {}): Promise<ChangeRouteAnswer['route']> => {
  const { status, text, body: answer } = await createRoute(client, body)
  if (status !== 201) throw new Error(`POST /routes answered ${status}: ${text}`)
  return answer.route
}

export const warningCodes = ({ body }: Reply<{ warnings: { code: string }[] }>): string[] =>
  body.warnings.map(({ code }) => code)
