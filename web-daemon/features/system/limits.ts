// GET /system/limits: what root allows on this host, and what of it is used up (decisions.md, S30).
import type { LimitsAnswer } from '@panel/shared/api/system.ts'
import type { Drawn } from '@panel/shared/limits/model.ts'
import { fromRoot, message, messageFields, type Message } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export async function showLimits({ request }: ReadContext): Promise<Answer<LimitsAnswer>> {
  const { limits: found, limits_used } = await request('host.probe', { parts: ['limits', 'limits_used'] })
  if (!found || !limits_used) throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_silent_host'))
  const { path, fault, limits } = found
  const { drawn, ...used } = limits_used
  return ok({
    path,
    ...messageFields('fault', fromRoot(fault)),
    limits,
    used,
    drawn: drawn.map((one) => ({ ...one, ...messageFields('detail', drawnSentence(one)) })),
  })
}

export const drawnSentence = ({ interface_name: name, public_addresses, public_subnets }: Drawn): Message =>
  message('finding.drawn', { name, addresses: public_addresses, subnets: public_subnets })
