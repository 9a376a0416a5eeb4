// Reads saved files as shared/read does, and each text only once: of the files of a thousand tunnels that are looked at
// again and again hardly one has changed.
import { madeOnce } from '@panel/shared/made-once.ts'
import type { FileKind, Saved } from '@panel/shared/tunnel/model.ts'
import { READ } from '@panel/shared/tunnel/read-saved-file.ts'

const parsed = madeOnce<Saved[FileKind]>()

/** For exactly this text under this name, so it cannot be out of date. */
export const readFile = <K extends FileKind>(
  kind: K,
  interface_name: string,
  content: string,
  is_enabled: boolean,
): Saved[K] =>
  parsed(`${kind} ${interface_name}`, [content, is_enabled], () =>
    READ[kind](interface_name, content, is_enabled),
  ) as Saved[K]
