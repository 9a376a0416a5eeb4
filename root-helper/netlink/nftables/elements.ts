// Elements of nftables' sets over nfnetlink: the bytes of their keys and values, and the text that our table has for
// them.
import { hex } from '@panel/shared/ruleset/mark.ts'
import type { TableSet } from '@panel/shared/ruleset/nft/table.ts'
import { align, attribute, Attributes, DecodeError, nest, text } from '../attributes.ts'
import { ipBytes, ipText } from '../bytes.ts'
import type { Message } from '../message.ts'
import { each, nfnetlink } from './nftables.ts'
import * as k from './constants.ts'
import type { Request } from '../socket.ts'

/**
 * One type of nft's: how many bytes it has, and their text. A mark is in the order of this machine, which the panel
 * runs on as little-endian alone.
 */
interface Kind {
  readonly bytes: number
  readonly format: (bytes: Buffer) => string
  readonly encode: (text: string) => Buffer
}

const PROTOCOLS: readonly (readonly [number, string])[] = [
  [6, 'tcp'],
  [17, 'udp'],
]
const DIRECTIONS: readonly (readonly [number, string])[] = [
  [0, 'original'],
  [1, 'reply'],
]

/** IFNAMSIZ in linux/if.h. */
const NAME_BYTES = 16

const named = (names: readonly (readonly [number, string])[]): Kind => ({
  bytes: 1,
  format: (bytes) => names.find(([number]) => number === bytes[0])?.[1] ?? `${bytes[0] ?? ''}`,
  encode: (word) => Buffer.from([names.find(([, name]) => name === word)?.[0] ?? Number(word)]),
})

const KINDS: Readonly<Record<string, Kind>> = {
  mark: { bytes: 4, format: (bytes) => hex(bytes.readUInt32LE(0)), encode: (word) => le32(Number(word)) },
  inet_service: {
    bytes: 2,
    format: (bytes) => `${bytes.readUInt16BE(0)}`,
    encode: (word) => Buffer.from([Number(word) >> 8, Number(word) & 0xff]),
  },
  ipv4_addr: { bytes: 4, format: ipText, encode: ipBytes },
  ipv6_addr: { bytes: 16, format: ipText, encode: ipBytes },
  inet_proto: named(PROTOCOLS),
  ct_dir: named(DIRECTIONS),
  ifname: { bytes: NAME_BYTES, format: (bytes) => bytes.toString('latin1').replace(/\0+$/, ''), encode: deviceName },
}

function deviceName(name: string): Buffer {
  const bytes = Buffer.alloc(NAME_BYTES)
  bytes.write(name, 'latin1')
  return bytes
}

function le32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const elementKind = (type: string): Kind => {
  const kind = KINDS[type]
  if (!kind) throw new DecodeError(`no type ${type} of nftables is known here`)
  return kind
}

/** The types of the keys and values of a set, as it is declared. */
export function elementTypes({ declaration }: Pick<TableSet, 'declaration'>): { keys: string[]; values: string[] } {
  const [keys = '', values = ''] = (/^type ([^;]+);/.exec(declaration)?.[1] ?? '').split(' : ')
  return { keys: keys.split(' . '), values: values === '' ? [] : values.split(' . ') }
}

/** Parts of a concatenation begin at multiples of four bytes; a value alone is as long as it is. */
export function formatElement(types: readonly string[], bytes: Buffer): string {
  const parts: string[] = []
  let at = 0
  for (const type of types) {
    const kind = elementKind(type)
    if (at + kind.bytes > bytes.length) throw new DecodeError(`${bytes.length} bytes for ${types.join(' . ')}`)
    parts.push(kind.format(bytes.subarray(at, at + kind.bytes)))
    at += align(kind.bytes)
  }
  return parts.join(' . ')
}

export function encodeBytes(types: readonly string[], text: string): Buffer {
  const parts = text.split(' . ').map((word, at) => elementKind(types[at] ?? '').encode(word))
  return parts.length === 1
    ? (parts[0] ?? Buffer.alloc(0))
    : Buffer.concat(parts.map((part) => Buffer.concat([part, Buffer.alloc(align(part.length) - part.length)])))
}

export const keyAttribute = (types: readonly string[], key: string): Buffer =>
  nest(k.NFTA_SET_ELEM_KEY, attribute(k.NFTA_DATA_VALUE, encodeBytes(types, key)))

/** Each element is its attributes. */
export const elementList = (elements: readonly (readonly Buffer[])[]): Buffer =>
  nest(k.NFTA_SET_ELEM_LIST_ELEMENTS, ...elements.map((parts) => nest(k.NFTA_LIST_ELEM, ...parts)))

/** All elements as a dump, or those of the given keys as a request, which fails where one of them is not there. */
export function elementsRequest(
  table: string,
  set: string,
  types: readonly string[],
  keys: readonly string[] = [],
): Request {
  return nfnetlink(
    `read the elements of ${set}`,
    k.NFT_MSG_GETSETELEM,
    k.NFPROTO_INET,
    text(k.NFTA_SET_ELEM_LIST_TABLE, table),
    text(k.NFTA_SET_ELEM_LIST_SET, set),
    ...(keys.length === 0 ? [] : [elementList(keys.map((key) => [keyAttribute(types, key)]))]),
  )
}

export interface FoundElement {
  readonly key: Buffer
  /** "" in a set. */
  readonly value: string
  /** Marks the end of an interval: its key is the first one outside. */
  readonly isEnd: boolean
  /** Absent in a set that does not count. */
  readonly packets?: number
}

export const eachElement = ({ body }: Message): Attributes[] =>
  each(new Attributes(body, k.NFGENMSG_BYTES).raw(k.NFTA_SET_ELEM_LIST_ELEMENTS), k.NFTA_LIST_ELEM)

/** Throws a DecodeError for an element of a kind that our sets do not use. */
export function decodeElements(message: Message, values: readonly string[]): FoundElement[] {
  return eachElement(message).map((a) => {
    const key = a.nested(k.NFTA_SET_ELEM_KEY)?.raw(k.NFTA_DATA_VALUE)
    if (!key || k.NFTA_SET_ELEM_FOREIGN.some((type) => a.has(type)))
      throw new DecodeError('an element that no set of ours has')
    return {
      key,
      value: elementValue(a, values),
      isEnd: ((a.u32be(k.NFTA_SET_ELEM_FLAGS) ?? 0) & k.NFT_SET_ELEM_INTERVAL_END) !== 0,
      ...packetsOf(a.nested(k.NFTA_SET_ELEM_EXPR)),
    }
  })
}

function packetsOf(expression: Attributes | null): Pick<FoundElement, 'packets'> {
  if (!expression) return {}
  if (expression.text(k.NFTA_EXPR_NAME) !== 'counter') throw new DecodeError('an element that no set of ours has')
  return { packets: expression.nested(k.NFTA_EXPR_DATA)?.u64be(k.NFTA_COUNTER_PACKETS) ?? 0 }
}

function elementValue(a: Attributes, values: readonly string[]): string {
  const counter = a.text(k.NFTA_SET_ELEM_OBJREF)
  if (counter !== null) return counter
  const data = a.nested(k.NFTA_SET_ELEM_DATA)
  const verdict = data?.nested(k.NFTA_DATA_VERDICT)
  if (verdict)
    return verdict.u32be(k.NFTA_VERDICT_CODE) === k.NFT_GOTO >>> 0
      ? `goto ${verdict.text(k.NFTA_VERDICT_CHAIN) ?? ''}`
      : '? verdict'
  const value = data?.raw(k.NFTA_DATA_VALUE)
  return value ? formatElement(values, value) : ''
}
