// The causes that rules of other software are, by what is read of them.
import { fromRoot, message, type Message } from '@panel/shared/messages/message.ts'
import type { RelayBlock, Taker } from '@panel/shared/foreign/relay-block.ts'
import type { Untracker } from '@panel/shared/foreign/untracked.ts'
import type { MarkWriter } from '@panel/shared/foreign/mark-writers.ts'
import { blockMessage, describeTaker, describeUntracker, describeWriter } from '../forwarding/foreign.ts'
import { cause, type Cause } from './cause.ts'
import type { RuleFacts } from './facts.ts'

/** What one of them certainly does comes in the place of what another may do. */
export function ofForeign({ foreign }: Pick<RuleFacts, 'foreign'>): Cause[] {
  if (!foreign) return []
  const { unread, takers, writers } = foreign
  return [
    ...(unread === '' ? [] : [unreadCause(fromRoot(unread))]),
    ...ofTaker(takers[0]),
    ...ofUntracker(foreign.untrackers[0]),
    ...ofBlocks(foreign.blocks),
    ...ofWriter(writers[0]),
  ]
}

const unreadCause = (detail: Message): Cause =>
  cause('NOT_READ', 'may_stop', message('health.firewalls_unreadable', { detail }), { subject: 'netfilter' })

const chainOf = ({ table, chain }: { readonly table: string; readonly chain: string }): string => `${table} ${chain}`

function ofTaker(taker: Taker | undefined): Cause[] {
  if (!taker) return []
  const remedies = [message('forwarding.fix_taken')]
  return [cause('FOREIGN_DNAT', taker.is_certain ? 'stops' : 'may_stop', describeTaker(taker), { remedies })]
}

/** What surely happens to the packets of some destinations leaves the others, and what happens to none that gets any. */
const EFFECTS = { all: 'stops', part: 'degrades', none: 'note' } as const

/** What is not tracked is not translated either. */
function ofUntracker(untracker: Untracker | undefined): Cause[] {
  if (!untracker) return []
  const more = { remedies: [untracker.remedy], subject: chainOf(untracker) }
  const { is_certain, extent } = untracker
  return [cause('NOT_TRACKED', is_certain ? EFFECTS[extent] : 'may_stop', describeUntracker(untracker), more)]
}

/** Each has a remedy of its own, and all are needed. What few clients meet stops no rule. */
function ofBlocks(blocks: readonly RelayBlock[]): Cause[] {
  const [block] = blocks
  if (!block) return []
  const remedies = blocks.filter(({ is_certain }) => is_certain === block.is_certain).map(({ remedy }) => remedy)
  const more = { remedies, subject: chainOf(block) }
  return block.is_certain
    ? [cause('FOREIGN_DROP', EFFECTS[block.extent], blockMessage(block), more)]
    : [cause('FOREIGN_MAY_DROP', block.is_for_some ? 'note' : 'may_stop', blockMessage(block), more)]
}

/** What is written later than the panel's own mark takes the place of it. */
function ofWriter(writer: MarkWriter | undefined): Cause[] {
  if (!writer?.is_after) return []
  const more = { remedies: [message('forwarding.fix_mark')], subject: chainOf(writer) }
  return [cause('FOREIGN_MARK', writer.is_certain ? 'degrades' : 'may_stop', describeWriter(writer), more)]
}
