// Canonical text of addresses and ranges. Text that is neither is kept and refused where it is used.
import { formatCidr, formatIp, parseCidr, parseIp } from '@panel/shared/address/ip.ts'

export function normalizeIp(text: string): string {
  const ip = parseIp(text)
  return ip ? formatIp(ip) : text
}

export function normalizeCidr(text: string): string {
  const range = parseCidr(text)
  return range ? formatCidr(range) : text
}
