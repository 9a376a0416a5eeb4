// The encrypted file that a backup leaves this host as: text that says itself how openssl opens it, so that a restore
// needs neither the panel nor this code (decisions.md, B8).
import { createCipheriv, createDecipheriv, createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { message, type Message } from '@panel/shared/messages/message.ts'

const ITERATIONS = 600_000
const OPENING = 'Tunnel Panel backup, format 1'
const HOW = `To open it without the panel, with the name of this file for FILE:
sed '1,/^$/d' FILE | openssl enc -d -a -aes-256-cbc -md sha256 -pbkdf2 -iter ${ITERATIONS} | gunzip > backup.json`

/** The layout of `openssl enc`: the magic, the salt, the blocks. */
const MAGIC = Buffer.from('Salted__')
const [SALT_BYTES, KEY_BYTES, IV_BYTES, MAC_KEY_BYTES, LINE] = [8, 32, 16, 32, 64]
/** A file of a few kilobytes could hold gigabytes of blanks. */
const DOCUMENT_MAX_BYTES = 64 * 1024 * 1024

const derive = promisify(pbkdf2)
const compress = promisify(gzip)
const decompress = promisify(gunzip)

/** openssl takes the first bytes for key and IV; those that follow are the key of the HMAC. */
async function keysOf(passphrase: string, salt: Buffer) {
  const all = await derive(passphrase, salt, ITERATIONS, KEY_BYTES + IV_BYTES + MAC_KEY_BYTES, 'sha256')
  return {
    key: all.subarray(0, KEY_BYTES),
    iv: all.subarray(KEY_BYTES, KEY_BYTES + IV_BYTES),
    macKey: all.subarray(KEY_BYTES + IV_BYTES),
  }
}

const macOf = (key: Buffer, bytes: Buffer): Buffer => createHmac('sha256', key).update(bytes).digest()

export async function sealFile(document: string, passphrase: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const { key, iv, macKey } = await keysOf(passphrase, salt)
  const cipher = createCipheriv('aes-256-cbc', key, iv)
  const bytes = Buffer.concat([MAGIC, salt, cipher.update(await compress(document)), cipher.final()])
  const lines = bytes.toString('base64').replace(new RegExp(`.{1,${LINE}}`, 'g'), '$&\n')
  return `${OPENING}\n${HOW}\nBytes: ${bytes.length}\nHMAC-SHA256: ${macOf(macKey, bytes).toString('hex')}\n\n${lines}`
}

/** Why a file cannot be opened, with the field of the request that is wrong. */
export class UnopenedError extends Error {
  readonly field: 'file' | 'passphrase'
  readonly sentence: Message

  constructor(field: 'file' | 'passphrase', sentence: Message) {
    super(sentence.message)
    this.field = field
    this.sentence = sentence
  }
}

/** Throws an UnopenedError unless every byte is the one that was sealed. */
export async function openFile(text: string, passphrase: string): Promise<string> {
  const { bytes, mac } = readFile(text)
  const salt = bytes.subarray(MAGIC.length, MAGIC.length + SALT_BYTES)
  const { key, iv, macKey } = await keysOf(passphrase, salt)
  if (!timingSafeEqual(macOf(macKey, bytes), mac))
    throw new UnopenedError('passphrase', message('backup.file_not_opened', { field: 'passphrase' }))
  const decipher = createDecipheriv('aes-256-cbc', key, iv)
  const packed = Buffer.concat([decipher.update(bytes.subarray(MAGIC.length + SALT_BYTES)), decipher.final()])
  return (await decompress(packed, { maxOutputLength: DOCUMENT_MAX_BYTES })).toString()
}

/** A mail program may have changed the ends of the lines. */
function readFile(given: string): { bytes: Buffer; mac: Buffer } {
  const text = given.replaceAll('\r\n', '\n')
  const [, length, hex, body] =
    /^Bytes: (\d{1,9})\nHMAC-SHA256: ([0-9a-f]{64})\n\n([A-Za-z0-9+/=\n]*)$/m.exec(text) ?? []
  if (!text.startsWith(`${OPENING}\n`) || hex === undefined || body === undefined)
    throw new UnopenedError('file', message('backup.file_form', { field: 'file' }))
  const [bytes, expected] = [Buffer.from(body, 'base64'), Number(length)]
  if (bytes.length !== expected || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new UnopenedError('file', message('backup.file_cut', { field: 'file', found: bytes.length, expected }))
  return { bytes, mac: Buffer.from(hex, 'hex') }
}
