// Whether files of ours could be written, found out without writing: root may write anywhere but on a disk that is
// read-only or full.
import { message } from '@panel/shared/messages/message.ts'
import { constants } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { messageOf } from '../../text.ts'

const ROOM_BYTES = 1024 * 1024

/** Why not, in one of the folders; null where there is room in all. */
export async function foldersTrouble(folders: readonly string[]): Promise<string | null> {
  for (const folder of folders) {
    const why = await whyNot(folder)
    if (why !== null) return message('root.no_room_to_put_back', { folder, why }).message
  }
  return null
}

async function whyNot(folder: string): Promise<string | null> {
  try {
    await access(folder, constants.W_OK)
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize < ROOM_BYTES ? message('root.little_room').message : null
  } catch (error) {
    return messageOf(error)
  }
}
