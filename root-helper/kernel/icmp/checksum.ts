// The Internet checksum (RFC 1071): the sum of 16-bit words, carries added back in.

/** Not folded. 65535 bytes stay far below 2^53. */
export function addUp(bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < bytes.length; i += 2) sum += ((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0)
  return sum
}

export function fold(sum: number): number {
  let folded = sum
  while (folded > 0xffff) folded = (folded & 0xffff) + Math.floor(folded / 0x10000)
  return folded
}

/** A message whose checksum is right adds up to all ones. */
export const isWhole = (bytes: Uint8Array): boolean => fold(addUp(bytes)) === 0xffff
