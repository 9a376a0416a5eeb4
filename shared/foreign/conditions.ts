// Whether a packet meets the conditions of a foreign rule in a chain. Only what is certain is "yes" or "no".
import type { ForeignChain, ForeignCondition } from './model.ts'
import { addressRange, agreed, mergedRanges, portRange, rangeMatch, type Match, type Range } from './ranges.ts'
import { tracking, type End, type Packet } from './relay-packet.ts'

type Test = (packet: Packet, chain: ForeignChain) => Match
type Field = ForeignCondition['field']

/** The mark of packets is only known where no rule sets it. */
export interface Knowledge {
  readonly isMarkSet: boolean
}

export function compileCondition({ field, is_not, values }: ForeignCondition, known: Knowledge): Test {
  const test = COMPILERS[field](values, known)
  const isOfConnection = field === 'direction' || field.startsWith('original_')
  return (packet, chain) => {
    // Before a packet is tracked, a comparison with its connection fails, whatever it compares.
    if (isOfConnection && tracking(chain) !== 'yes') return tracking(chain)
    const match = test(packet, chain)
    return is_not ? OPPOSITE[match] : match
  }
}

const OPPOSITE: Readonly<Record<Match, Match>> = { yes: 'no', no: 'yes', maybe: 'maybe' }

type Compiler = (values: readonly string[], known: Knowledge) => Test
const among = (values: readonly string[], found: string): Match => (values.includes(found) ? 'yes' : 'no')

const COMPILERS: Readonly<Record<Field, Compiler>> = {
  family: (values) => (packet) => among(values, packet.family === 6 ? 'ip6' : 'ip'),
  protocol: (values) => (packet) => among(values, packet.protocol),
  source: (values) => addressTest(values, ({ source }) => source),
  destination: (values) => addressTest(values, ({ destination }) => destination),
  original_destination: (values) => addressTest(values, ({ listener }) => listener),
  source_port: (values) => portTest(values, ({ source }) => source),
  destination_port: (values) => portTest(values, ({ destination }) => destination),
  original_port: (values) => portTest(values, ({ listener }) => listener),
  source_type: (values) => (packet) => among(values, typeOf(packet.source)),
  destination_type: (values) => (packet) => among(values, typeOf(packet.destination)),
  // Hooks without an interface of a direction have an empty name in its place.
  in_interface: (values) => (packet, chain) =>
    interfaceMatch(values, chain.hook === 'output' ? '' : packet.in_interface),
  out_interface: (values) => (packet, chain) => interfaceMatch(values, hasOut(chain) ? packet.out_interface : ''),
  ct: (values) => (packet, chain) => ctMatch(values, packet, chain),
  direction: (values) => (packet) => among(values, packet.isReply ? 'reply' : 'original'),
  mark: (values, known) => (packet) => (known.isMarkSet || packet.isMarked ? 'maybe' : among(values, '0')),
}

const typeOf = ({ isLocal }: End): string => (isLocal ? 'local' : 'unicast')
const hasOut = ({ hook }: ForeignChain): boolean => hook === 'forward' || hook === 'postrouting' || hook === 'output'

/** An interface that is not known is any but that of loopback, whose packets are never relayed. */
function interfaceMatch(values: readonly string[], found: string | null): Match {
  if (found === null) return values.every((value) => value === 'lo') ? 'no' : 'maybe'
  return values.some((value) => (value.endsWith('*') ? found.startsWith(value.slice(0, -1)) : value === found))
    ? 'yes'
    : 'no'
}

function ctMatch(values: readonly string[], packet: Packet, chain: ForeignChain): Match {
  const isTracked = tracking(chain)
  if (isTracked === 'maybe') return 'maybe'
  if (isTracked === 'no') return among(values, 'invalid')
  if (values.includes(packet.isNew ? 'new' : 'established')) return 'yes'
  const isTranslated = !packet.isNew || packet.stage !== 'arriving'
  if (isTranslated && values.includes('dnat')) return 'yes'
  return values.includes('snat') ? 'maybe' : 'no'
}

function addressTest(values: readonly string[], endOf: (packet: Packet) => End): Test {
  const read = values.map(addressRange)
  const ranges = mergedRanges(read.filter((one) => one !== null))
  const isRead = read.every((one) => one !== null)
  return (packet) => {
    const { addresses, never } = endOf(packet)
    if (!isRead) return 'maybe'
    if (addresses) return agreed(addresses.map((address) => rangeMatch(address, ranges)))
    if (values.length === 0 || values.every((value) => never.includes(value))) return 'no'
    return coversAll(ranges, packet) ? 'yes' : 'maybe'
  }
}

const ALL: Readonly<Record<4 | 6, Range | null>> = { 4: addressRange('0.0.0.0/0'), 6: addressRange('::/0') }
const coversAll = (ranges: readonly Range[], { family }: Packet): boolean => {
  const all = ALL[family]
  return all !== null && rangeMatch(all, ranges) === 'yes'
}

function portTest(values: readonly string[], endOf: (packet: Packet) => End): Test {
  const ranges = mergedRanges(values.map(portRange))
  return (packet) => rangeMatch(endOf(packet).ports, ranges)
}

/** Few of all clients meet it: it is about some ports, or about networks that are small. */
export const isNarrow = ({ field, is_not, values }: ForeignCondition): boolean => !is_not && sizeOf(field, values) < FEW

/** The number of addresses in a /16 of IPv4. */
const FEW = 1n << 16n

function sizeOf(field: Field, values: readonly string[]): bigint {
  // A port is as much as all clients are to all ports.
  const ranges = field.endsWith('_port') ? values.map(portRange) : values.map(addressRange)
  const weight = field.endsWith('_port') ? FEW >> 10n : 1n
  return ranges.reduce((sum, range) => {
    if (!range) return FEW
    const size = range.last - range.first + 1n
    return sum + weight * (range.last >> 128n === 0n ? size : size >> 80n)
  }, 0n)
}
