// Netlink attributes (type, length, value): a bounds-checked reader over hostile bytes, and a writer.
import { NLA_F_NESTED, NLA_TYPE_MASK } from './constants.ts'

/** Bytes that are not what the kernel's headers say they are. */
export class DecodeError extends Error {
  override readonly name = 'DecodeError'
}

const HEADER = 4
// Every enumeration read here ends below this number; a larger one is unknown and ignored.
const TYPES = 128

export const align = (length: number): number => (length + 3) & ~3

/** Calls back with each attribute's type and the bounds of its value. */
export function forEachAttribute(
  bytes: Buffer,
  start: number,
  end: number,
  onAttribute: (type: number, from: number, to: number) => void,
): void {
  let at = start
  while (end - at >= HEADER) {
    const length = bytes.readUInt16LE(at)
    if (length < HEADER || length > end - at)
      throw new DecodeError(`attribute of ${length} bytes at ${at}, where ${end - at} are left`)
    onAttribute(bytes.readUInt16LE(at + 2) & NLA_TYPE_MASK, at + HEADER, at + length)
    at += align(length)
  }
}

/**
 * The attributes in a stretch of bytes, by type; the last of a type wins, as in the kernel's nla_parse. A getter gives
 * null where the attribute is absent.
 */
export class Attributes {
  private readonly bytes: Buffer
  /**
   * The offset of each type's value; 0 if there is none. A plain array, since typed ones are slow to make and a dump
   * makes thousands.
   */
  private readonly from: number[] = []

  constructor(bytes: Buffer, start = 0, end = bytes.length) {
    if (start < 0 || start > end || end > bytes.length)
      throw new DecodeError(`${bytes.length} bytes, where ${start} are needed`)
    this.bytes = bytes
    forEachAttribute(bytes, start, end, (type, from) => {
      if (type < TYPES) this.from[type] = from
    })
  }

  has(type: number): boolean {
    return this.at(type, 0) !== 0
  }

  /** The offset of a value, or 0 if there is none. */
  private at(type: number, wanted: number): number {
    const from = this.from[type] ?? 0
    if (from !== 0 && this.end(from) - from < wanted)
      throw new DecodeError(`attribute ${type} is shorter than ${wanted} bytes`)
    return from
  }

  /** The bounds were checked when the attribute was found. */
  private end(from: number): number {
    return from - HEADER + this.bytes.readUInt16LE(from - HEADER)
  }

  u8(type: number): number | null {
    const at = this.at(type, 1)
    return at ? this.bytes.readUInt8(at) : null
  }

  u16(type: number): number | null {
    const at = this.at(type, 2)
    return at ? this.bytes.readUInt16LE(at) : null
  }

  u16be(type: number): number | null {
    const at = this.at(type, 2)
    return at ? this.bytes.readUInt16BE(at) : null
  }

  u32(type: number): number | null {
    const at = this.at(type, 4)
    return at ? this.bytes.readUInt32LE(at) : null
  }

  u32be(type: number): number | null {
    const at = this.at(type, 4)
    return at ? this.bytes.readUInt32BE(at) : null
  }

  raw(type: number): Buffer | null {
    const at = this.at(type, 0)
    return at ? this.bytes.subarray(at, this.end(at)) : null
  }

  /** A counter, which a number holds exactly up to 2^53. */
  u64be(type: number): number | null {
    const at = this.at(type, 8)
    return at ? this.bytes.readUInt32BE(at) * 2 ** 32 + this.bytes.readUInt32BE(at + 4) : null
  }

  /** Text up to the first NUL. */
  text(type: number): string | null {
    const at = this.at(type, 0)
    return at ? readText(this.bytes, at, this.end(at)) : null
  }

  nested(type: number): Attributes | null {
    const at = this.at(type, 0)
    return at ? new Attributes(this.bytes, at, this.end(at)) : null
  }
}

/** Without a buffer of its own, of which a dump would make thousands. */
export function readText(bytes: Buffer, from: number, to: number): string {
  const nul = bytes.indexOf(0, from)
  return bytes.toString('utf8', from, nul < 0 ? to : Math.min(nul, to))
}

/** One attribute as bytes, padded to four. */
export function attribute(type: number, value: Uint8Array): Buffer {
  const bytes = Buffer.alloc(align(HEADER + value.length))
  bytes.writeUInt16LE(HEADER + value.length, 0)
  bytes.writeUInt16LE(type, 2)
  bytes.set(value, HEADER)
  return bytes
}

export const nest = (type: number, ...inside: readonly Buffer[]): Buffer =>
  attribute(type | NLA_F_NESTED, Buffer.concat(inside))
export const text = (type: number, value: string): Buffer => attribute(type, Buffer.from(`${value}\0`))
export const u8 = (type: number, value: number): Buffer => attribute(type, Uint8Array.of(value))
export const u16be = (type: number, value: number): Buffer => attribute(type, Uint8Array.of(value >>> 8, value & 0xff))

export function u32(type: number, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return attribute(type, bytes)
}

export function u32be(type: number, value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return attribute(type, bytes)
}
