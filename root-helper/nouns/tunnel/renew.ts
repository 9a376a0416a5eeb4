// Files of ours in the words of an earlier version: they say the same tunnel, and are written again in today's words.
import type { FileKind, SavedFile } from '@panel/shared/tunnel/model.ts'
import { READ } from '@panel/shared/tunnel/read-saved-file.ts'
import { parseFileName, renderFile } from '@panel/shared/tunnel/saved-file.ts'
import type { Kernel, SavedFiles } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'

/** A running networkd is not asked to read them for this: it would touch links that are well. */
export async function renewFiles({ units, networkd }: Pick<Kernel, 'units' | 'networkd'>): Promise<void> {
  try {
    await renewAll(units)
    await renewAll(networkd)
  } catch (error) {
    log('warning', 'Files of an earlier version could not be renewed', { detail: messageOf(error) })
  }
}

async function renewAll(files: SavedFiles): Promise<void> {
  for (const file_name of await files.list()) {
    const [found, content] = [parseFileName(file_name), await files.read(file_name)]
    const text = found && content !== null ? todaysText(found, content) : null
    if (text !== null && text !== content) await files.write(file_name, text)
  }
}

/** Null where the file is not ours. */
function todaysText(
  { kind, interface_name }: { kind: FileKind; interface_name: string },
  content: string,
): string | null {
  const saved = READ[kind](interface_name, content, false)
  return saved?.config ? renderFile(interface_name, { file: kind, ...saved } as SavedFile) : null
}
