// Whether the marks that an operator gives to packets are none of those by which answers find their tunnel, and whether
// the kernel finds a way for answers at all.
import { hex } from '@panel/shared/ruleset/mark.ts'
import { isAnswerMark } from '@panel/shared/ruleset/nft/answers.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { tunnelNamed } from '@panel/shared/messages/named.ts'
import type { ExistingTunnel } from '../store.ts'
import { warn, type DraftContext } from './context.ts'
import type { Place } from './place.ts'

type Marked = Pick<ExistingTunnel, 'interface_name' | 'tunnel_id' | 'fwmark'>

export const answerMarkTaken = (mark: number, answered: Parameters<typeof tunnelNamed>[0]): Message =>
  message('tunnel.answer_mark', { field: 'fwmark', mark: hex(mark), tunnel: tunnelNamed(answered) })

const withAnswerMark = (tunnels: readonly ExistingTunnel[]): Marked | undefined =>
  tunnels.find(({ fwmark }) => fwmark !== null && isAnswerMark(fwmark))

export function draftAnswers({ body, existing, problems, stored }: DraftContext): void {
  const { fwmark = null, is_answered_through = false } = body
  const name = body.interface_name ?? stored?.interface_name ?? ''
  const own = { interface_name: name, ...(stored && { tunnel_id: stored.tunnel_id }) }
  const answered = is_answered_through ? own : existing.find((one) => one.is_answered_through)
  if (fwmark !== null && isAnswerMark(fwmark) && answered)
    problems.add('fwmark', 'INVALID_FWMARK', answerMarkTaken(fwmark, answered))
  const other = is_answered_through ? withAnswerMark(existing) : undefined
  if (other)
    problems.add(
      'is_answered_through',
      'INVALID_FWMARK',
      message('tunnel.answer_mark_taken', { mark: hex(other.fwmark ?? 0), tunnel: tunnelNamed(other) }),
    )
}

/** So large that any other default route goes before it. */
const LAST_METRIC = 4_000_000_000

/** The kernel looks for a way before any rule of ours can lead an answer, and drops it where it finds none. */
export function warnOfNoWay(draft: DraftContext, { interface_name, addresses }: Place): void {
  const { body, facts } = draft
  if (body.is_answered_through !== true || facts.interfaces.length === 0) return
  for (const family of new Set(addresses.map(({ address }) => (address.includes(':') ? 6 : 4)))) {
    if (facts.routes.some(({ entry, network }) => entry.is_default && network.base.family === family)) continue
    const ip = family === 6 ? 'ip -6' : 'ip'
    const command = `${ip} route add default dev ${interface_name} metric ${LAST_METRIC}`
    const text = message('tunnel.answers_no_way', { family: `IPv${family}`, command })
    warn(draft, 'ANSWERS_HAVE_NO_WAY', 'is_answered_through', text)
  }
}
