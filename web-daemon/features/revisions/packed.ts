// An object of a revision as the store holds it: its JSON, deflated, and a digest of it.
import { createHash } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { fromStoredJson } from '../../platform/db/stored-json.ts'

/** The fields of the request that would make it, by the names of the API. */
export type Item = Readonly<Record<string, unknown>>

export const pack = (item: Item): Buffer => deflateRawSync(JSON.stringify(item))

export const unpack = (packed: Buffer): Item => fromStoredJson(inflateRawSync(packed).toString()) as Item

const BYTES = 16

/** The digest of one object, by its name and all that it holds. */
export const digestOf = (kind: string, target_key: string, item: Item): string =>
  createHash('sha256')
    .update(JSON.stringify([kind, target_key, item]))
    .digest('hex')
    .slice(0, 2 * BYTES)

export const DIGEST_OF_NOTHING = '0'.repeat(2 * BYTES)

/** The digest of a set that an object joins or leaves: twice the same comes to nothing, and the order does not matter. */
export const withDigest = (of_all: string, of_one: string): string =>
  (BigInt(`0x${of_all}`) ^ BigInt(`0x${of_one}`)).toString(16).padStart(2 * BYTES, '0')
