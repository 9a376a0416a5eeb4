// A pairing code as text: "v1." and base64url of a checksum and gzipped JSON (decisions.md, R26). What the JSON says is not its concern.
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import { PAIRING_CODE_MARKER } from '@panel/shared/api/tunnels/pairing.ts'

/** A tunnel takes less than one; the bound keeps a small code from growing into all the memory there is. */
export const MAX_EXPANDED_BYTES = 64 * 1024
const CHECKSUM_BYTES = 4
/** RFC 1952: ten bytes of header, two of an empty stream, eight of trailer. */
const LEAST_GZIP_BYTES = 20
/** More differing characters than this are another compressor's work; a slip of a hand or a wire is fewer. */
const MOST_CHARACTERS_OF_DAMAGE = 3

/** Its message is for the operator. */
export class PairingCodeError extends Error {}

export const encodePairingCode = (content: object): string => packed(Buffer.from(JSON.stringify(content)))

/** The JSON value of a code; throws a PairingCodeError that says what is wrong with it. */
export function decodePairingCode(pairing_code: string): unknown {
  const code = pairing_code.trim()
  checkVersion(code)
  const bytes = bytesOf(code.slice(PAIRING_CODE_MARKER.length))
  const json = expand(bytes.subarray(CHECKSUM_BYTES))
  if (crc32(json) !== bytes.readUInt32BE(0))
    throw new PairingCodeError('The pairing code is damaged: its checksum does not match.')
  if (isDamagedCopyOf(packed(json), code))
    throw new PairingCodeError('The pairing code is damaged: a few of its characters are not what they were.')
  return parse(json)
}

function packed(json: Buffer): string {
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

/** Base64url has several spellings for some bytes, and only the first is taken. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text)
    throw new PairingCodeError('The pairing code has characters that do not belong there, or lacks some.')
  if (bytes.length < CHECKSUM_BYTES + LEAST_GZIP_BYTES) throw new PairingCodeError('The pairing code is cut off.')
  return bytes
}

function expand(gzip: Buffer): Buffer {
  const { buffer, engine } = gunzipped(gzip)
  // Node reads on over padding and over further members; the last four bytes are the length of the last member alone.
  if (engine.bytesWritten === gzip.length && gzip.readUInt32LE(gzip.length - 4) === buffer.length) return buffer
  throw new PairingCodeError('There is something behind the end of the pairing code.')
}

function gunzipped(gzip: Buffer): { buffer: Buffer; engine: { bytesWritten: number } } {
  try {
    // With `info` it answers with the engine beside the bytes, which its type does not know.
    return gunzipSync(gzip, { maxOutputLength: MAX_EXPANDED_BYTES, info: true }) as unknown as ReturnType<
      typeof gunzipped
    >
  } catch (failure) {
    throw new PairingCodeError(wordsFor((failure as NodeJS.ErrnoException).code), { cause: failure })
  }
}

function wordsFor(code: string | undefined): string {
  if (code === 'ERR_BUFFER_TOO_LARGE')
    return `The pairing code grows to more than ${MAX_EXPANDED_BYTES} bytes: no tunnel needs that.`
  if (code === 'Z_BUF_ERROR') return 'The pairing code is cut off.'
  return 'The pairing code is damaged: it cannot be unpacked.'
}

/**
 * Neither checksum covers how the JSON was compressed: the gzip header, the padding bits, a match that could as well have been found elsewhere.
 * Another build of zlib may compress otherwise, and then the codes differ all over; where they differ in a place or two, this one was damaged.
 */
function isDamagedCopyOf(own: string, code: string): boolean {
  if (own === code || own.length !== code.length) return false
  const differing = [...own].filter((character, at) => character !== code[at]).length
  return differing <= MOST_CHARACTERS_OF_DAMAGE
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch (failure) {
    throw new PairingCodeError('The pairing code holds something else than a tunnel.', { cause: failure })
  }
}
