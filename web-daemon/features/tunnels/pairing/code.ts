// A pairing code as text: "v1." and base64url of a checksum and gzipped JSON (decisions.md, R26). Its content is
// defined in content.ts.
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import { parseJson } from '@panel/shared/json.ts'
import { PAIRING_CODE_MARKER } from '@panel/shared/api/tunnels/pairing.ts'

/** More than a tunnel needs; the limit keeps a small code from expanding to all of the memory. */
export const MAX_EXPANDED_BYTES = 64 * 1024
const CHECKSUM_BYTES = 4
/** RFC 1952: ten bytes of header, two of an empty stream, eight of trailer. */
const LEAST_GZIP_BYTES = 20
/** Up to this many differing characters mean damage; more mean another version of zlib. */
const MOST_CHARACTERS_OF_DAMAGE = 3

/** Its message is for the operator. */
export class PairingCodeError extends Error {}

export function encodePairingCode(content: object): string {
  return pack(Buffer.from(JSON.stringify(content)))
}

/** Returns the JSON value of a code; throws a PairingCodeError with the reason. */
export function decodePairingCode(pairing_code: string): unknown {
  const code = pairing_code.trim()
  checkVersion(code)
  const bytes = decodeBytes(code.slice(PAIRING_CODE_MARKER.length))
  const json = expand(bytes.subarray(CHECKSUM_BYTES))
  if (crc32(json) !== bytes.readUInt32BE(0))
    throw new PairingCodeError('The pairing code is damaged: its checksum does not match.')
  if (isDamagedCopy(pack(json), code))
    throw new PairingCodeError('The pairing code is damaged: a few of its characters are not what they were.')
  return parse(json)
}

function pack(json: Buffer): string {
  const checksum = Buffer.alloc(CHECKSUM_BYTES)
  checksum.writeUInt32BE(crc32(json))
  return PAIRING_CODE_MARKER + Buffer.concat([checksum, gzipSync(json)]).toString('base64url')
}

function checkVersion(code: string): void {
  if (code.startsWith(PAIRING_CODE_MARKER)) return
  const [, version] = /^v(\d{1,9})\./.exec(code) ?? []
  throw new PairingCodeError(
    version === undefined
      ? 'This is no pairing code: one begins with "v1.".'
      : `The pairing code has version ${version}, and this panel reads version 1.`,
  )
}

/** Base64url has several spellings for some bytes; only the canonical one is accepted. */
function decodeBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text)
    throw new PairingCodeError('The pairing code has characters that do not belong there, or lacks some.')
  if (bytes.length < CHECKSUM_BYTES + LEAST_GZIP_BYTES) throw new PairingCodeError('The pairing code is cut off.')
  return bytes
}

function expand(gzip: Buffer): Buffer {
  const { buffer, engine } = gunzipped(gzip)
  // gunzipSync ignores padding and reads further members; the last four bytes are the length of the last member alone.
  if (engine.bytesWritten === gzip.length && gzip.readUInt32LE(gzip.length - 4) === buffer.length) return buffer
  throw new PairingCodeError('There is something behind the end of the pairing code.')
}

function gunzipped(gzip: Buffer): { buffer: Buffer; engine: { bytesWritten: number } } {
  try {
    // With `info` it also returns the engine, which the type does not know.
    return gunzipSync(gzip, { maxOutputLength: MAX_EXPANDED_BYTES, info: true }) as unknown as ReturnType<
      typeof gunzipped
    >
  } catch (failure) {
    throw new PairingCodeError(describeFailure((failure as NodeJS.ErrnoException).code), { cause: failure })
  }
}

function describeFailure(code: string | undefined): string {
  if (code === 'ERR_BUFFER_TOO_LARGE')
    return `The pairing code grows to more than ${MAX_EXPANDED_BYTES} bytes: no tunnel needs that.`
  if (code === 'Z_BUF_ERROR') return 'The pairing code is cut off.'
  return 'The pairing code is damaged: it cannot be unpacked.'
}

/**
 * The checksums do not cover how the JSON was compressed (gzip header, padding bits, choice of matches). Codes of
 * another zlib version differ all over; a code that differs from ours in a few places was damaged.
 */
function isDamagedCopy(expected: string, code: string): boolean {
  if (expected === code || expected.length !== code.length) return false
  const differing = [...expected].filter((character, at) => character !== code[at]).length
  return differing <= MOST_CHARACTERS_OF_DAMAGE
}

function parse(json: Buffer): unknown {
  try {
    return parseJson(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch (failure) {
    throw new PairingCodeError('The pairing code holds something else than a tunnel.', { cause: failure })
  }
}
