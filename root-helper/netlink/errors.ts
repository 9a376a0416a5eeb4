// Failures of the kernel and of the socket, under the names and words that people know.
import { constants } from 'node:os'
import { getSystemErrorMap } from 'node:util'
import { DecodeError } from './attributes.ts'
import { KernelError } from '../kernel-error.ts'

// Two names share a number; these are the ones that the kernel's own source uses.
const PREFERRED = new Set(['EOPNOTSUPP', 'EAGAIN', 'EDEADLK'])

const NAMES = new Map<number, string>()
// Which no program outside the kernel gets, but for nf_tables of another generation.
NAMES.set(85, 'ERESTART')
for (const [name, number] of Object.entries(constants.errno)) {
  if (!NAMES.has(number) || PREFERRED.has(name)) NAMES.set(number, name)
}

/** "EEXIST" for 17; "E524" for a number that has no name outside the kernel. */
const errnoName = (errno: number): string => NAMES.get(errno) ?? `E${errno}`

/** Once, since node copies the map at each call. */
const ERRNO_TEXTS = getSystemErrorMap()
/** "file already exists" for 17; "" where there is no text for it. */
const errnoText = (errno: number): string => ERRNO_TEXTS.get(-errno)?.[1] ?? ''

/** What the kernel refused and the reason that it gave: "delete gre-a-1: no such device (ENODEV)". */
export function refusal(what: string, errno: number, text: string): KernelError {
  const reason = text || errnoText(errno) || 'the kernel gives no reason'
  return new KernelError(errnoName(errno), `${what}: ${reason} (${errnoName(errno)})`)
}

/** The same failure, saying what it happened to. */
export function transportError(what: string, error: unknown): Error {
  if (error instanceof DecodeError) return new DecodeError(`${what}: ${error.message}`)
  if (error instanceof Error && 'code' in error && /^E[A-Z0-9]+$/.test(String(error.code)))
    return new KernelError(String(error.code), `${what}: ${error.message}`)
  return error instanceof Error ? error : new Error(String(error))
}
