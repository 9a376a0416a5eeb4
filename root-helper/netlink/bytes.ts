// IP addresses between the kernel's bytes and the text of the model.
import { parseIp } from '@panel/shared/address/ip.ts'
import { DecodeError } from './attributes.ts'
import { AF_INET, AF_INET6 } from './constants.ts'

export type AddressFamily = typeof AF_INET | typeof AF_INET6

export const isFamily = (family: number): family is AddressFamily => family === AF_INET || family === AF_INET6
export const addressLength = (family: AddressFamily): 4 | 16 => (family === AF_INET ? 4 : 16)

/** Canonical text of 4 or 16 bytes; a DecodeError for any other length. */
export function ipText(bytes: Buffer): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) throw new DecodeError(`an IP address of ${bytes.length} bytes`)
  return shorten(Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(2 * i)))
}

/**
 * RFC 5952, 4.2: the longest run of two or more zero groups, the first of equals, becomes "::". By hand: a dump formats
 * thousands.
 */
function shorten(groups: readonly number[]): string {
  let start = 0
  let length = 1
  for (let i = 0, run = 0; i < 8; i++) {
    run = groups[i] === 0 ? run + 1 : 0
    if (run > length) [start, length] = [i + 1 - run, run]
  }
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':')
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

export function ipBytes(address: string): Buffer {
  const ip = parseIp(address)
  if (!ip) throw new RangeError(`${JSON.stringify(address)} is not an IP address`)
  const length = ip.family === 4 ? 4 : 16
  return Buffer.from(ip.value.toString(16).padStart(2 * length, '0'), 'hex')
}

export const addressFamily = (address: string): AddressFamily => (address.includes(':') ? AF_INET6 : AF_INET)
