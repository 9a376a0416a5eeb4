// The endpoints of the panel's listeners, in the section System.
import type { TryListenerAnswer, TryListenerBody } from '@panel/shared/api/listeners.ts'
import { type Message, message } from '@panel/shared/messages/message.ts'
import type { StoreContext, ReadDb } from '../../platform/context.ts'
import { command, created, ok, query, type Answer, type Incoming } from '../../platform/http/endpoint.ts'
import { draftListener } from './draft.ts'
import type { Listeners } from './listeners.ts'
import { endedWords, triedWords } from './sharing.ts'

/** The relay rule, if there is one, that takes what comes to a TCP port. */
export type RuleOnPort = (db: ReadDb, port: number) => Promise<Message | null>

const tag = 'system'
const scope = 'access'

export const listenerEndpoints = (listeners: Listeners, ruleOnPort: RuleOnPort) => [
  query(
    'GET /system/listeners',
    { tag, scope, summary: 'Where the panel listens, and what is on trial.' },
    async (_context, { place }) => ok({ listeners: listeners.views(place) }),
  ),
  command(
    'POST /system/listeners',
    {
      tag,
      scope,
      summary: 'Listen at another address, port or certificate as well. It closes by itself unless it is kept in time.',
      statuses: [201, 409],
      gathersProblems: true,
      audit: 'ListenerTry',
      fresh: true,
      isCreating: true,
    },
    tryListener(listeners, ruleOnPort),
  ),
  command(
    'POST /system/listeners/{id}/keep',
    {
      tag,
      scope,
      summary: 'Keep the listener that this request came through. The others close after their last answer.',
      statuses: [409],
      audit: 'ListenerKeep',
      fresh: true,
    },
    async ({ note }, { params, place }) => {
      const listener_id = params['id'] ?? 0
      note.target('listener', listeners.found(listener_id).listener_id)
      const kept = await listeners.keep(listener_id, place)
      for (const { address, port } of kept.closed) note.operation(`Closed the listener at ${address} port ${port}`)
      return ok(kept)
    },
  ),
  command(
    'DELETE /system/listeners/{id}',
    {
      tag,
      scope,
      summary: 'End a listener on trial, or forget a kept one while the configured one is open.',
      statuses: [409],
      audit: 'ListenerRemove',
      fresh: true,
    },
    async ({ note }, { params }) => {
      const listener_id = params['id'] ?? 0
      note.target('listener', listeners.found(listener_id).listener_id)
      note.operation(endedWords(await listeners.remove(listener_id)))
      return ok({ deleted: true as const, listener_id })
    },
  ),
]

/** In the change queue, because a relay rule may be about to take the port. */
const tryListener =
  (listeners: Listeners, ruleOnPort: RuleOnPort) =>
  (
    { db, now, note, inTurn }: StoreContext,
    { body, problems, place }: Incoming<TryListenerBody>,
  ): Promise<Answer<TryListenerAnswer>> =>
    inTurn(async () => {
      const draft = draftListener(body, problems, now())
      const { port } = draft
      const rule = await ruleOnPort(db, port)
      if (rule) problems.add('port', 'PORT_IN_USE', message('listener.rule_on_port', { port, rule }))
      problems.throwIfAny()
      const listener = await listeners.tryOne(draft, place)
      note.target('listener', listener.listener_id)
      note.operation(triedWords(listener, draft.seconds))
      return created({ listener })
    })
