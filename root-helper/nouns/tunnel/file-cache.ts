// Reads saved files as shared/read does, and each text only once: of the files of a thousand tunnels that are looked at
// again and again hardly one has changed.
import type { FileKind, Saved } from '@panel/shared/tunnel/model.ts'
import { READ } from '@panel/shared/tunnel/read-saved-file.ts'

interface Entry {
  readonly content: string
  readonly is_enabled: boolean
  readonly parsed: Saved[FileKind]
}

/** More files than one host has of ours; beyond it the cache is emptied. */
const MOST = 5000

/** An entry holds for exactly this text under this name, so it cannot be out of date. */
const entry = new Map<string, Entry>()

export function readFile<K extends FileKind>(
  kind: K,
  interface_name: string,
  content: string,
  is_enabled: boolean,
): Saved[K] {
  const key = `${kind} ${interface_name}`
  const before = entry.get(key)
  if (before?.content === content && before.is_enabled === is_enabled) return before.parsed as Saved[K]
  const parsed = READ[kind](interface_name, content, is_enabled)
  if (entry.size >= MOST) entry.clear()
  entry.set(key, { content, is_enabled, parsed: parsed })
  return parsed
}
