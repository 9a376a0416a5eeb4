// What the panel publishes, as notices. A feature that publishes something more adds a line to STORED or OBSERVED.
import type { StoreTransaction } from '../../../platform/db/database.ts'
import type { PanelEvents, StoredEvents } from '../../../platform/events/bus.ts'
import { message, verbatim, type Message } from '@panel/shared/messages/message.ts'
import type { NoticeKind } from '@panel/shared/api/webhooks.ts'
import type { Notice } from '../notice.ts'
import type { FailedSignIns } from './sign-ins.ts'

type ObservedEvents = Omit<PanelEvents, keyof StoredEvents>

/** Every event that is stored: its notices are written by the transaction that stores it. */
export type StoredSources = {
  readonly [N in keyof StoredEvents]: (
    events: readonly StoredEvents[N][],
    context: { readonly transaction: StoreTransaction; readonly signIns: FailedSignIns },
  ) => Notice[] | Promise<Notice[]>
}

/** What is seen on the host and not stored: the next daemon sees it, too. */
export type ObservedSources = { readonly [N in keyof ObservedEvents]?: (event: ObservedEvents[N]) => Notice[] }

/** Levels of a problem: what is impaired, and what does not work at all. */
const [IMPAIRED, BROKEN] = [1, 2]

export const STORED: StoredSources = {
  'tunnel.state': (events) => events.flatMap(tunnelNotice),
  'destination.state': (events) => events.flatMap(destinationNotice),
  'safe_apply.ended': (events) =>
    events.map(({ ended_how }) => info('safe_apply_ended', message('notice.safe_apply_ended', { how: ended_how }))),
  'auth.new_network': (events) =>
    events.map(({ username, client_ip: address }) =>
      info('sign_in_new_network', message('notice.sign_in_new_network', { username, address })),
    ),
  'auth.sign_in_failed': async (events, { transaction, signIns }) => {
    const notices: Notice[] = []
    for (const { client_ip, count } of events) notices.push(...(await signIns.failed(transaction, client_ip, count)))
    return notices
  },
}

export const OBSERVED: ObservedSources = {
  'reconcile.changed': ({ changed }) => changed.flatMap(driftNotice),
  'reconcile.first': ({ changed }) => changed.flatMap(driftNotice).filter(isResolved),
  'route.health': healthNotice,
  'route.first': ({ rules }) => rules.flatMap(healthNotice).filter(isResolved),
  'heal.contested': ({ kind, id, heal }) => [
    {
      kind: 'heal_contested',
      severity: 'problem',
      level: IMPAIRED,
      subject: { type: kind, id, name: '' },
      text: message('notice.contested', {
        what: kind,
        name: `#${id}`,
        reason: heal.detail_message as unknown as Message,
      }),
    },
  ],
}

const isResolved = ({ severity }: Notice): boolean => severity === 'resolved'

const SUBJECT_TYPES = { safe_apply_ended: 'safe_apply', sign_in_new_network: 'sign_in' } as const

const info = (kind: keyof typeof SUBJECT_TYPES, text: Message): Notice => ({
  kind,
  severity: 'info',
  level: 0,
  subject: { type: SUBJECT_TYPES[kind], id: null, name: '' },
  text,
})

const tunnelNotice = ({ tunnel_id, interface_name: name, to, reason }: StoredEvents['tunnel.state']): Notice[] =>
  stateNotice('tunnel_state', { type: 'tunnel', id: tunnel_id, name }, to, {
    levels: { Degraded: IMPAIRED, Down: BROKEN },
    good: 'Up',
    problem: () => message('notice.tunnel_problem', { name, state: to, reason }),
    resolved: () => message('notice.tunnel_resolved', { name }),
  })

const destinationNotice = ({
  route_destination_id: id,
  title,
  destination,
  to,
  reason,
}: StoredEvents['destination.state']): Notice[] =>
  stateNotice('destination', { type: 'destination', id, name: destination }, to, {
    levels: { down: BROKEN },
    good: 'up',
    problem: () => message('notice.destination_problem', { destination, title, reason }),
    resolved: () => message('notice.destination_resolved', { destination, title }),
  })

const driftNotice = ({
  tunnel_id,
  interface_name: name,
  from,
  to,
}: PanelEvents['reconcile.changed']['changed'][number]): Notice[] =>
  tunnel_id === null
    ? []
    : stateNotice('drift', { type: 'tunnel', id: tunnel_id, name }, to, {
        levels: { Drifted: IMPAIRED, Missing: BROKEN, Inconsistent: BROKEN },
        good: 'InSync',
        problem: () => message('notice.drift_problem', { name, state: to ?? '' }),
        resolved: () => message('notice.drift_resolved', { name }),
      }).map((notice) => foundFirst(from, notice))

function healthNotice({
  route_rule_id,
  title,
  from,
  to,
  severity,
  detail_message,
  cause,
}: PanelEvents['route.health']): Notice[] {
  const state = to === 'impaired' && severity === 'down' ? 'down' : (to ?? '')
  return stateNotice('route_health', { type: 'route', id: route_rule_id, name: title }, severity, {
    levels: { degraded: IMPAIRED, down: BROKEN },
    // A rule that is disabled is no rule that works.
    good: to === 'disabled' ? null : 'ok',
    problem: () => message('notice.route_problem', { title, state, reason: detail_message as unknown as Message }),
    resolved: () => message('notice.route_resolved', { title }),
  }).map((notice) => ({ ...foundFirst(from, notice), ...sharedBy(notice, state, cause) }))
}

/** Rules that work again do so together, whatever it was. */
function sharedBy(
  { severity }: Notice,
  state: string,
  cause: PanelEvents['route.health']['cause'],
): Pick<Notice, 'shared'> {
  if (severity === 'resolved') return { shared: { key: '', reason: verbatim(''), remedies: [] } }
  return cause ? { shared: { key: `${state} ${cause.key}`, reason: cause.sentence, remedies: cause.remedies } } : {}
}

/** What was not looked at before may have been so for long. */
const foundFirst = (from: string | null, notice: Notice): Notice =>
  from === null && notice.severity === 'problem' ? { ...notice, mayBeOld: true } : notice

interface StateWords {
  /** The levels of the states that are a problem. */
  readonly levels: Readonly<Record<string, number>>
  /** Null: none is. */
  readonly good: string | null
  readonly problem: () => Message
  readonly resolved: () => Message
}

/** A state that is neither good nor bad, such as that of something disabled, is no news. */
function stateNotice(
  kind: NoticeKind,
  subject: Notice['subject'],
  state: string | null,
  { levels, good, problem, resolved }: StateWords,
): Notice[] {
  const level = levels[state ?? '']
  if (level !== undefined) return [{ kind, severity: 'problem', level, subject, text: problem() }]
  return state !== null && state === good ? [{ kind, severity: 'resolved', level: 0, subject, text: resolved() }] : []
}
