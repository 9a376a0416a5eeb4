// A stored tunnel as it is sent: every field of the record, and beside them what the host shows of it now
// (decisions.md, T3, R2, R3, R13).
import { APPLY_STATUSES, titleOf } from '@panel/shared/api/base/lookups.ts'
import type { ObservedView, TunnelView } from '@panel/shared/api/tunnels/answers.ts'
import type { LinkSnapshot } from '@panel/shared/tunnel/observed.ts'
import type { Reader } from '@panel/shared/rpc/methods.ts'
import { message, verbatim, type Message } from '@panel/shared/messages/message.ts'
import { asMessage } from '../../platform/http/refusal.ts'
import { isHelperAway } from '../../platform/helper/away.ts'
import { JsonText, jsonWith } from '../../platform/http/json-text.ts'
import type { TunnelRecord } from './record.ts'
import type { RecordRow } from './store-record.ts'

export function tunnelView(record: TunnelRecord, observed: ObservedView): TunnelView {
  return { ...record, apply_status: titleOf(APPLY_STATUSES, record.apply_status_id), observed }
}

/** The same of a record that is text still, as in a list of thousands. */
export const tunnelText = ({ record, apply_status_id }: RecordRow, observed: ObservedView): JsonText<TunnelView> =>
  jsonWith<TunnelView, 'apply_status' | 'observed'>(new JsonText([record]), {
    apply_status: titleOf(APPLY_STATUSES, apply_status_id),
    observed,
  })

/**
 * Reads all the names in one request. While the helper is away, what is stored is still shown, and the live side is
 * unknown.
 */
export async function observe(
  request: Reader,
  interface_names: string[],
): Promise<(interface_name: string) => ObservedView> {
  if (interface_names.length === 0) return () => NOTHING
  try {
    const { links } = await request('link.probe', { interface_names })
    const byName = new Map(links.map((link) => [link.interface_name, link.observed]))
    return (name) => observedView(byName.get(name))
  } catch (thrown) {
    if (!isHelperAway(thrown)) throw thrown
    const unknown = unknownWith(message('tunnel.observed_unknown', { reason: asMessage(thrown) }))
    return () => unknown
  }
}

/** For an answer that is made of the store alone. */
export const notObserved = (): ObservedView => unknownWith(message('tunnel.not_observed'))

function unknownWith(sentence: Message): ObservedView {
  return { ...NOTHING, is_known: false, oper_state: '', detail: sentence.message, detail_message: sentence }
}

const NOTHING: ObservedView = {
  exists: false,
  is_known: true,
  detail: '',
  detail_message: verbatim(''),
  oper_state: 'NOTPRESENT',
  kind: '',
  index: null,
  mtu: null,
  is_up: false,
  is_lower_up: false,
  flags: [],
  local_endpoint: '',
  remote_endpoint: '',
  addresses: [],
}

/** Null and undefined: there is no link. */
export function observedView(link: LinkSnapshot['observed'] | null | undefined): ObservedView {
  return link ? { exists: true, is_known: true, detail: '', detail_message: verbatim(''), ...link } : NOTHING
}
