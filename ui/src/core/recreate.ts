// Changes that recreate the interface of a tunnel, or that its far end has to follow: confirmed with the reasons of the
// API, and then sent again.
import type { ImpactBody } from '@panel/shared/api/impact/impact.ts'
import type { Message } from '@panel/shared/messages/message.ts'
import { toApiError, type ApiError } from './api-error.ts'
import { Cancelled } from './cancelled.ts'
import { confirm } from './confirm.svelte.ts'
import { messages, say, t } from './i18n.svelte.ts'
import { loaded } from './loaded.ts'

/** Resolves to the answer of the request that was confirmed, or needed no confirmation. */
export const withRecreateCheck = async <T>(
  send: (confirmed: { confirm_recreate?: boolean }) => Promise<T>,
  request: ImpactBody,
  /** What the page calls the tunnel. */
  name: string,
): Promise<T> => {
  try {
    return await send({})
  } catch (thrown) {
    const error: ApiError = toApiError(thrown)
    if (error.code !== 'CONFIRM_RECREATE_REQUIRED') throw thrown
    await Promise.all([messages.ready(error), loaded(() => messages.load(['own_access']))])
    const isRecreated = error.details['requires_recreate'] === true
    const isConfirmed = await confirm({
      title: t(isRecreated ? 'own_access.recreate_title' : 'own_access.change_title', { name }),
      text: t(isRecreated ? 'core.plan.recreate' : 'own_access.change_text'),
      items: eachOf((error.params['reasons'] ?? error) as Message).map((reason) => say(reason)),
      action: t(isRecreated ? 'own_access.recreate_action' : 'own_access.change_action'),
      isDanger: true,
      request,
    })
    if (!isConfirmed) throw new Cancelled()
    return send({ confirm_recreate: true })
  }
}

/** The parts of a sentence that joins several. */
const eachOf = (message: Message): Message[] =>
  message.message_id === 'tunnel.both'
    ? [message.params['first'], message.params['second']].flatMap((one) => eachOf(one as Message))
    : [message]
