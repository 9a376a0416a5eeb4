// GET /system/limits: what root allows on this host, and what of it is used up (decisions.md, S30).
import type { LimitsAnswer } from '@panel/shared/api/system.ts'
import { fromRoot, message, messageFields } from '@panel/shared/messages/message.ts'
import type { ReadContext } from '../../platform/context.ts'
import { ok, type Answer } from '../../platform/http/endpoint.ts'
import { Refusal } from '../../platform/http/refusal.ts'

export async function showLimits({ request }: ReadContext): Promise<Answer<LimitsAnswer>> {
  const { limits: found, limits_used: used } = await request('host.probe', { parts: ['limits', 'limits_used'] })
  if (!found || !used) throw new Refusal('HELPER_UNAVAILABLE', message('panel.helper_silent_host'))
  const { path, fault, limits } = found
  return ok({ path, ...messageFields('fault', fromRoot(fault)), limits, used })
}
