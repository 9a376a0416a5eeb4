// A request that may cut the operator off is refused at first; here it is asked about, with the address that the browser comes from, and sent again behind the curtain with the flag that accepts it.
import type { EndpointName, Endpoints } from '@panel/shared/api/endpoints.ts'
import { call, type AnswerOf, type Arguments } from './api.ts'
import { confirm } from './confirm.svelte.ts'
import { curtain, type Branch } from './curtain.svelte.ts'
import { t } from './i18n.svelte.ts'
import { endOf, isLost } from './lost-answer.ts'
import { asRefused, type Refused } from './refused.ts'
import { Withdrawn } from './withdrawn.ts'

type Consent = 'i_understand_i_may_lose_access'
/** The endpoints that may cut the operator off, and take the flag. */
type Risky = {
  [R in EndpointName]: Endpoints[R] extends { body: infer B } ? (Consent extends keyof B ? R : never) : never
}[EndpointName]

/** Resolves to the answer; to null where the change was applied and its answer was lost. */
export const mindingOwnAccess = async <R extends Risky>(
  route: R,
  ...args: Arguments<R>
): Promise<AnswerOf<R> | null> => {
  try {
    return await call(route, ...args)
  } catch (thrown) {
    const refused = asRefused(thrown)
    if (refused.code !== 'WOULD_CUT_OWN_ACCESS') throw thrown
    const { client_ip: address = '', interface_name: name = '' } = refused.details as {
      client_ip?: string
      interface_name?: string
    }
    const isWanted = await confirm({
      title: t('core.own_access.title'),
      text: t('core.own_access.text', { address, name }),
      action: t('core.own_access.action'),
      isDanger: true,
    })
    if (!isWanted) throw new Withdrawn()
    return behindCurtain({ address, name }, (request_id) => call(route, ...accepting<R>(args, request_id)))
  }
}

/** The same request with the flag that accepts it. */
const accepting = <R extends Risky>([given]: Arguments<R>, request_id: string): Arguments<R> => {
  const body = given !== undefined && 'body' in given ? given.body : {}
  return [
    { ...given, body: { ...(body as object), i_understand_i_may_lose_access: true }, request_id },
  ] as unknown as Arguments<R>
}

const behindCurtain = async <T>(branch: Branch, change: (request_id: string) => Promise<T>): Promise<T | null> => {
  const request_id = `page-${Date.now()}-${Math.random().toString(36).slice(2)}`
  const over = new AbortController()
  curtain.fall(branch)
  try {
    const told = endOf(request_id, over.signal)
    const answer = await Promise.race([
      change(request_id).catch((thrown: unknown) => (isLost(thrown) ? told : Promise.reject(thrown as Error))),
      told,
    ])
    curtain.end('applied')
    return answer
  } catch (thrown) {
    const { code, message } = asRefused(thrown)
    if (code === 'APPLY_FAILED') curtain.end('rolled_back', message)
    else if (isLost(thrown)) curtain.end('silent')
    else curtain.rise()
    throw thrown
  } finally {
    over.abort()
  }
}

/** The link has to be made anew: the reasons are shown, and the same request goes again with the confirmation. */
export const mindingRecreate = async <T>(
  send: (confirmed: { confirm_recreate?: boolean }) => Promise<T>,
): Promise<T> => {
  try {
    return await send({})
  } catch (thrown) {
    const refused: Refused = asRefused(thrown)
    if (refused.code !== 'CONFIRM_RECREATE_REQUIRED') throw thrown
    const { interface_name, reasons } = refused.details as { interface_name?: string; reasons?: string[] }
    const isWanted = await confirm({
      title: t('core.recreate.title', { name: interface_name ?? '' }),
      text: t('core.plan.recreate'),
      concerned: reasons ?? [],
      action: t('core.recreate.action'),
      isDanger: true,
    })
    if (!isWanted) throw new Withdrawn()
    return send({ confirm_recreate: true })
  }
}
