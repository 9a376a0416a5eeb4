// The causes that lie in this server: the address that a rule listens on, and whether packets are forwarded.
import type { ForwardingFound } from '@panel/shared/forwarding/model.ts'
import { doubled, whyNoSize } from '@panel/shared/forwarding/size.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { isWildcard } from '@panel/shared/ruleset/canonical.ts'
import type { HostInterface } from '@panel/shared/tunnel/observed.ts'
import { addressOf } from '../../platform/network/interface-address.ts'
import { familyOf, type RouteRecord } from '../routes/record.ts'
import { cause, settingRemedies, type Cause } from './cause.ts'
import type { RuleFacts } from './facts.ts'

export function ofListener(record: RouteRecord, facts: RuleFacts): Cause[] {
  const { interfaces, owner, listener } = facts
  const { bind_address: address, bind_interface: name } = record
  if (!interfaces) return []
  const bound = name === null ? null : interfaces.get(name)
  if (bound === undefined)
    return [absent(message('health.interface_absent', { name: name ?? '' }), message('health.fix_interface'))]
  if (bound && bound.bridge !== '') return [ofBridge(bound)]
  if (isWildcard(address) || owner || listener === null || listener === 'local') return []
  const followed = record.bind_address_interface
  const there = followed === null ? undefined : interfaces.get(followed)
  if (followed === null || (there && addressOf(there, familyOf(record), null) !== null))
    return [absent(message('health.address_absent', { address }), message('health.fix_address'), address)]
  const sentence = message('health.interface_no_address', { name: followed, address })
  return [absent(sentence, message('health.fix_interface_address', { name: followed }), address)]
}

const absent = (sentence: Message, fix: Message, subject = ''): Cause =>
  cause('LISTENER_ABSENT', 'stops', sentence, { remedies: [fix], subject })

/** Netfilter sees the bridge as the interface by which the packets of its ports come in. */
const ofBridge = ({ name, bridge }: HostInterface): Cause =>
  cause('LISTENER_ABSENT', 'stops', message('health.bridge_port', { name, bridge }), {
    remedies: [message('health.fix_bridge', { bridge })],
  })

const FULL_PERCENT = 80

export function ofForwarding(record: RouteRecord, facts: RuleFacts): Cause[] {
  const { forwarding } = facts
  if (!forwarding) return []
  const family = familyOf(record)
  if (!forwarding.state.live[`ipv${family}`])
    return [
      cause('FORWARDING_OFF', 'stops', message('health.forwarding_off', { family: `IPv${family}` }), {
        remedies: [message('health.fix_forwarding')],
        subject: `ipv${family}`,
      }),
    ]
  return [...(family === 4 ? ofInterfaces(record, facts) : []), ...ofConnections(forwarding)]
}

/** IPv6 knows no such setting: there the whole host forwards, or does not. */
function ofInterfaces(record: RouteRecord, { interfaces, near, paths }: RuleFacts): Cause[] {
  if (!interfaces) return []
  const isOff = (one: HostInterface | null | undefined): one is HostInterface =>
    one?.forwards_ipv4 === false && one.class !== 'loopback'
  // What goes to this server itself is not forwarded.
  const remote = paths.outDevices(record).filter(({ address }) => paths.kindOf(address) !== 'local')
  if (remote.length === 0) return []
  if (isOff(near)) return [interfaceOff(near, 'stops', 'packets')]
  const off = remote.flatMap(({ device }) => {
    const far = device === null ? null : interfaces.get(device)
    return isOff(far) ? [far] : []
  })
  const [first] = off
  if (!first) return []
  return [interfaceOff(first, off.length === remote.length ? 'stops' : 'degrades', 'replies')]
}

function interfaceOff({ name }: HostInterface, effect: 'stops' | 'degrades', what: 'packets' | 'replies'): Cause {
  const remedies = settingRemedies(name, 'forwarding=1')
  return cause('FORWARDING_OFF', effect, message('health.interface_off', { name, what }), { remedies, subject: name })
}

function ofConnections(forwarding: ForwardingFound): Cause[] {
  const { conntrack, state } = forwarding
  const max = state.conntrack_max
  if (!conntrack || !max) return []
  const { count } = conntrack
  const usage = Math.floor((count / max) * 100)
  if (usage < FULL_PERCENT) return []
  return [
    cause('TABLE_NEARLY_FULL', 'degrades', message('health.table_nearly_full', { count, max, usage }), {
      remedies: [moreRoom(forwarding)],
      subject: 'conntrack',
    }),
  ]
}

function moreRoom(forwarding: ForwardingFound): Message {
  const size = doubled(forwarding)
  if (size !== null) return message('health.fix_table', { size })
  return whyNoSize(forwarding) ?? message('health.fix_table_room', { most: forwarding.conntrack?.most ?? 0 })
}
