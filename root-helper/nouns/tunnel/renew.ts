// Files of ours in the words of an earlier version: they say the same tunnel, and are written again in today's words.
import type { SavedFile } from '@panel/shared/tunnel/model.ts'
import { READ } from '@panel/shared/tunnel/read-saved-file.ts'
import { parseFileName, renderFile } from '@panel/shared/tunnel/saved-file.ts'
import type { Kernel } from '../../kernel/facilities.ts'
import { log } from '../../log.ts'
import { messageOf } from '../../text.ts'

/** A running networkd is not asked to read them for this: it would touch links that are well. */
export async function renewFiles({ networkd }: Pick<Kernel, 'networkd'>): Promise<void> {
  try {
    for (const file_name of await networkd.list()) {
      const [found, content] = [parseFileName(file_name), await networkd.read(file_name)]
      if (found?.kind !== 'networkd_network' || content === null) continue
      const saved = READ[found.kind](found.interface_name, content, false)
      const text = saved && renderFile(found.interface_name, { file: found.kind, ...saved } satisfies SavedFile)
      if (text !== null && text !== content) await networkd.write(file_name, text)
    }
  } catch (error) {
    log('warning', 'Files of an earlier version could not be renewed', { detail: messageOf(error) })
  }
}
