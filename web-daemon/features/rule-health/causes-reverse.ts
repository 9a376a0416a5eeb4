// The causes that the reverse path filter is: a strict one drops the packets of IPv4 that come in by another interface
// than the way back to their source leaves by (rp_filter in the kernel's ip-sysctl).
import { message, type Message } from '@panel/shared/messages/message.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import { isOneWay } from '../traffic/evidence.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'
import { cause, settingRemedies, type Cause } from './cause.ts'
import type { RuleFacts } from './facts.ts'
import type { Effect } from '@panel/shared/api/routes/cause-codes.ts'

export const isStrict = (one: HostInterface): boolean => one.rp_filter === 1 && one.class !== 'loopback'

/** Clients without a way of their own take the default route; only those of the Internet are sure to need it. */
export function ofClients({ bind_interface, allowed_sources }: RouteRecord, { near, waysBack }: RuleFacts): Cause[] {
  if (!near || !isStrict(near)) return []
  const away = waysBack.filter(({ device }) => device !== null && device !== near.name)
  const [first] = away
  if (!first) return []
  const { address, device } = first
  const params = { name: near.name, device: device ?? '' }
  if (allowed_sources.length === 0)
    return [
      filtered(
        near.name,
        first.isPublic ? 'may_stop' : 'note',
        message('health.reverse_path', { ...params, address, what: 'clients' }),
      ),
    ]
  // Without a bound interface they may come in by the one that leads back to them.
  const isCertain = bind_interface !== null && away.every(({ isHost }) => isHost)
  const effect = !isCertain ? 'may_stop' : away.length === waysBack.length ? 'stops' : 'degrades'
  return [filtered(near.name, effect, message('health.reverse_path', { ...params, address, what: 'packets' }))]
}

/** The way back to a source is looked up without the mark by which packets towards it find their tunnel. */
export function ofMarkedReplies(record: RouteRecord, { interfaces, paths }: RuleFacts): Cause[] {
  if (record.fwmark === null || familyOf(record) === 6) return []
  for (const { address, device } of paths.outDevices(record)) {
    const [far, back] = [interfaces?.get(device ?? ''), paths.deviceTo(address)]
    if (!far || !isStrict(far) || back === null || back === device) continue
    const sentence = message('health.reverse_path', { name: far.name, device: back, address, what: 'replies' })
    return [filtered(far.name, 'may_stop', sentence)]
  }
  return []
}

/** Connection tracking has seen replies of which none was forwarded. Another filter may be what drops them. */
export function ofLostReplies(record: RouteRecord, facts: RuleFacts): Cause[] {
  const { unanswered, stuck, interfaces, foreign, paths } = facts
  if (stuck.length === 0 || !isOneWay(unanswered) || familyOf(record) === 6) return []
  const out = paths.outDevices(record)
  const [first] = out
  const isWay = ({ name }: HostInterface): boolean => out.some(({ device }) => device === name || device === null)
  const strict = [...(interfaces?.values() ?? [])].filter((one) => one.is_up && isStrict(one) && !isWay(one))
  const [only, ...others] = strict
  if (!first || !only) return []
  const isSure = foreign?.unread === '' && foreign.blocks.length === 0
  const names = strict.map(({ name }) => name).join(', ')
  const sentence = message('health.reverse_path_replies', { address: first.address, device: first.device ?? '', names })
  return [filtered(others.length === 0 ? only.name : 'all', isSure ? 'stops' : 'may_stop', sentence)]
}

/** The greater setting counts, so 2 on one interface makes it loose whatever that of all is. */
const filtered = (name: string, effect: Effect, sentence: Message): Cause =>
  cause('REVERSE_PATH', effect, sentence, { remedies: settingRemedies(name, 'rp_filter=2') })
