// Writes DER (ITU-T X.690), as far as a certificate of the panel's own needs it. Nothing here reads DER: that is Node's part.

const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bits: 0x03,
  octets: 0x04,
  null: 0x05,
  identifier: 0x06,
  text: 0x0c,
  time: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const
const UTC_TIME = 0x17
/** RFC 5280, 4.1.2.5: two digits of a year up to 2049, four from then on. */
const FOUR_DIGITS_FROM = 2050

function element(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const head = length < 0x80 ? [tag, length] : [tag, 0x80 | base256(length).length, ...base256(length)]
  return Buffer.concat([Buffer.from(head), content])
}

const base256 = (value: number): number[] =>
  value < 0x100 ? [value] : [...base256(Math.floor(value / 0x100)), value % 0x100]

export const sequence = (...parts: readonly Buffer[]): Buffer => element(TAG.sequence, Buffer.concat(parts))
export const set = (...parts: readonly Buffer[]): Buffer => element(TAG.set, Buffer.concat(parts))
/** Context-specific: `number` of a field that has no type of its own. */
export const tagged = (number: number, content: Uint8Array): Buffer => element(0x80 | number, content)
export const explicit = (number: number, content: Buffer): Buffer => element(0xa0 | number, content)

/** `bytes` hold a positive number, the highest first. */
export const integer = (bytes: readonly number[] | Buffer): Buffer => element(TAG.integer, Buffer.from(bytes))
export const octets = (content: Buffer): Buffer => element(TAG.octets, content)
export const text = (value: string): Buffer => element(TAG.text, Buffer.from(value))
export const empty = (): Buffer => element(TAG.null, Buffer.alloc(0))
export const yes = (): Buffer => element(TAG.boolean, Buffer.from([0xff]))

export const bits = (content: Uint8Array, unused = 0): Buffer =>
  element(TAG.bits, Buffer.concat([Buffer.from([unused]), content]))

/** An object identifier, such as `2.5.4.3`. */
export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(TAG.identifier, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]))
}

/** Seven bits a byte, the highest first; all but the last have the high bit set. */
const base128 = (value: number): number[] =>
  value < 0x80 ? [value] : [...base128(Math.floor(value / 0x80)).map((byte) => byte | 0x80), value % 0x80]

export function time(at: Date): Buffer {
  const digits = at.toISOString().replace(/\.\d+Z|[-:T]/g, '')
  return at.getUTCFullYear() < FOUR_DIGITS_FROM
    ? element(UTC_TIME, Buffer.from(`${digits.slice(2)}Z`))
    : element(TAG.time, Buffer.from(`${digits}Z`))
}
