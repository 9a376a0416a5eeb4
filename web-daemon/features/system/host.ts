// GET /system/interfaces and /system/routes: all that the kernel has, of the panel or not (reference.md, System;
// decisions.md, Y5, Y6).
import type { InterfacesAnswer, RoutingTableAnswer } from '@panel/shared/api/system.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export async function listInterfaces({ request }: ReadContext): Promise<Answer<InterfacesAnswer>> {
  const interfaces = given((await request('host.probe', { parts: ['interfaces'] })).interfaces)
  const answer: InterfacesAnswer = { interfaces, total: interfaces.length }
  return ok(answer)
}

export async function listRoutingTable({ request }: ReadContext): Promise<Answer<RoutingTableAnswer>> {
  const routes = given((await request('host.probe', { parts: ['routing_table'] })).routing_table)
  const devices = routes.filter(({ is_default, device }) => is_default && device !== '').map(({ device }) => device)
  const answer: RoutingTableAnswer = { routes, total: routes.length, default_route_devices: [...new Set(devices)] }
  return ok(answer)
}

function given<T>(part: T | null): T {
  if (part) return part
  throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_silent_host'))
}
