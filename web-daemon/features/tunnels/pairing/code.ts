// A pairing code as text: "v1." and base64url of a checksum and gzipped JSON (decisions.md, R26). Its content is
// defined in content.ts.
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import { parseJson } from '@panel/shared/json.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { PAIRING_CODE_MARKER } from '@panel/shared/api/tunnels/pairing.ts'

/** More than a tunnel needs; the limit keeps a small code from expanding to all of the memory. */
export const MAX_EXPANDED_BYTES = 64 * 1024
const CHECKSUM_BYTES = 4
/** RFC 1952: ten bytes of header, two of an empty stream, eight of trailer. */
const LEAST_GZIP_BYTES = 20
/** Up to this many differing characters mean damage; more mean another version of zlib. */
const MOST_CHARACTERS_OF_DAMAGE = 3

/** An error whose message is for the operator. */
export class PairingCodeError extends Error {
  readonly sentence: Message

  constructor(sentence: Message, options?: ErrorOptions) {
    super(sentence.message, options)
    this.sentence = sentence
  }
}

export function encodePairingCode(content: object): string {
  return pack(Buffer.from(JSON.stringify(content)))
}

/** Returns the JSON value of a code; throws a PairingCodeError with the reason. */
export function decodePairingCode(pairing_code: string): unknown {
  const code = pairing_code.trim()
  checkVersion(code)
  const bytes = decodeBytes(code.slice(PAIRING_CODE_MARKER.length))
  const json = expand(bytes.subarray(CHECKSUM_BYTES))
  if (crc32(json) !== bytes.readUInt32BE(0)) throw new PairingCodeError(message('pairing.damaged_checksum'))
  if (isDamagedCopy(pack(json), code)) throw new PairingCodeError(message('pairing.damaged_characters'))
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
    version === undefined ? message('pairing.no_code') : message('pairing.version', { version }),
  )
}

/** Base64url has several spellings for some bytes; only the canonical one is accepted. */
function decodeBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new PairingCodeError(message('pairing.characters'))
  if (bytes.length < CHECKSUM_BYTES + LEAST_GZIP_BYTES) throw new PairingCodeError(message('pairing.cut_off'))
  return bytes
}

function expand(gzip: Buffer): Buffer {
  const { buffer, engine } = gunzipped(gzip)
  // gunzipSync ignores padding and reads further members; the last four bytes are the length of the last member alone.
  if (engine.bytesWritten === gzip.length && gzip.readUInt32LE(gzip.length - 4) === buffer.length) return buffer
  throw new PairingCodeError(message('pairing.trailing'))
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

function describeFailure(code: string | undefined): Message {
  if (code === 'ERR_BUFFER_TOO_LARGE') return message('pairing.too_large', { bytes: MAX_EXPANDED_BYTES })
  if (code === 'Z_BUF_ERROR') return message('pairing.cut_off')
  return message('pairing.damaged_archive')
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
    throw new PairingCodeError(message('pairing.something_else'), { cause: failure })
  }
}
