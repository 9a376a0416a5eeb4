// Foresees requests: the endpoint of each is found and its body read as if it had been sent, and the endpoint says
// what it would do.
import type { Foreseeable, ImpactAnswer, ImpactBody } from '@panel/shared/api/impact/impact.ts'
import { foreseenTogether, type Foreseen } from '@panel/shared/impact/foreseen.ts'
import { message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer, type Endpoint, type Incoming } from '../../platform/http/endpoint.ts'
import { foreseenBy, innerRequest } from '../../platform/http/inner-request.ts'
import { API_BASE, notFound } from '../../platform/http/routes.ts'
import type { ReadImpact } from '../../platform/impact.ts'
import { planOf } from './plan.ts'

export const foreseeRequest =
  (readImpact: ReadImpact, endpoints: () => readonly Endpoint[]) =>
  async (context: ReadContext, incoming: Incoming<ImpactBody>): Promise<Answer<ImpactAnswer>> => {
    const { client_ip, server_ip, body } = incoming
    const all: Foreseen[] = []
    for (const [at, request] of [body, ...(body.also ?? [])].entries())
      all.push(await foresee(context, incoming, { request, at: at === 0 ? '' : `also.${at - 1}.` }, endpoints()))
    const foreseen = foreseenTogether(all)
    const requester = { client_ip, server_ip, with_sources: body.with_sources === true }
    return ok({
      plan: await planOf(context, foreseen),
      impact: await readImpact(context, foreseen, requester),
      warnings: [...foreseen.warnings],
    })
  }

/** Whether the operator's own connection would not survive a command. */
export const cutsOwnAccess =
  (readImpact: ReadImpact) =>
  async (endpoint: Endpoint, context: ReadContext, incoming: Incoming<never>): Promise<boolean> => {
    if (endpoint.kind !== 'command' || !endpoint.foresee) return false
    const foreseen = await endpoint.foresee(context, incoming)
    return (await readImpact(context, foreseen, incoming)).own_access.is_affected
  }

async function foresee(
  context: ReadContext,
  incoming: Incoming<ImpactBody>,
  { request, at }: { readonly request: Foreseeable; readonly at: string },
  endpoints: readonly Endpoint[],
): Promise<Foreseen> {
  const { problems } = incoming
  const { method, path, body = {} } = request
  if (method === 'GET') problems.add(`${at}method`, 'INVALID_VALUE', message('impact.only_reads'))
  problems.throwIfAny()
  const below = pathBelow(context.api_path, path)
  const found = innerRequest(endpoints, { method, path: below, body }, incoming)
  if (!found) throw notFound()
  if ('methods' in found)
    problems.add(`${at}method`, 'INVALID_VALUE', message('panel.method', { method, allowed: found.methods.join(', ') }))
  problems.throwIfAny()
  if ('methods' in found) throw notFound()
  return foreseenBy(found, context)
}

/** The path below the base of the API, given with it or without. */
const pathBelow = (api_path: string, path: string): string => {
  const base = [api_path, API_BASE].find((one) => path.startsWith(`${one}/`)) ?? ''
  return path.slice(base.length)
}
