// Addresses as text: what RFC 4291 (section 2.2) takes, without zones, and the one spelling of RFC 5952.

const OCTET = '(?:0|[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5])'
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`)
const GROUPS = 8
const GROUP = /^[0-9a-fA-F]{1,4}$/

export const isIpv4 = (text: string): boolean => IPV4.test(text)

/** Returns null if the text is not one IPv4 address. Leading zeros are refused, so each address has one text. */
export function ipv4Value(text: string): number | null {
  return isIpv4(text) ? text.split('.').reduce((value, octet) => value * 256 + Number(octet), 0) : null
}

export const ipv4Text = (value: bigint): string => [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.')

/** Returns null if the text is not one IPv6 address. */
export function ipv6Value(text: string): bigint | null {
  const [head = '', tail, ...more] = withoutDots(text).split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const left = GROUPS - before.length - after.length
  // "::" stands for one group at least.
  if (more.length > 0 || (tail === undefined ? left !== 0 : left < 1)) return null
  const groups = [...before, ...Array.from({ length: left }, () => '0'), ...after]
  return groups.every((group) => GROUP.test(group))
    ? BigInt(`0x${groups.map((group) => group.padStart(4, '0')).join('')}`)
    : null
}

/** The last 32 bits may be written as an IPv4 address; they are two groups. */
function withoutDots(text: string): string {
  const start = text.lastIndexOf(':') + 1
  const value = ipv4Value(text.slice(start))
  return value === null
    ? text
    : `${text.slice(0, start)}${(value >>> 16).toString(16)}:${(value & 0xffff).toString(16)}`
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'))

/** The longest run of two or more zero groups becomes "::", the first of several. */
export function ipv6Text(value: bigint): string {
  const groups = value.toString(16).padStart(32, '0').match(/.{4}/g) ?? []
  const text = groups.map((group) => group.replace(/^0{1,3}/, '')).join(':')
  const runs = [...text.matchAll(/\b0(?::0)+\b/g)]
  const longest = Math.max(...runs.map(([run]) => run.length))
  const run = runs.find(([zeros]) => zeros.length === longest)
  if (!run) return text
  return `${text.slice(0, run.index) || ':'}${text.slice(run.index + longest) || ':'}`
}
