// Reads what other software has in netfilter, by way of nft; it can only list. The panel's own table, which may be
// long, is not listed.
import { message } from '@panel/shared/messages/message.ts'
import { nothingForeign, type ForeignFound } from '@panel/shared/foreign/model.ts'
import { foreignTables, readForeign } from '@panel/shared/foreign/read.ts'
import type { Netfilter } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { sharedRead } from '../../shared-read.ts'
import type { Nft } from './nft.ts'

/** Read once for each generation of nftables: a listing starts nft twice for each table, and every report needs one. */
export const foreignBy = (nft: Nft, generationNow: () => Promise<number>): Netfilter => {
  let cached: { readonly generation: number; readonly found: ForeignFound } | null = null
  const read = sharedRead(async (): Promise<ForeignFound> => {
    const generation = await generationNow()
    if (cached?.generation === generation) return cached.found
    const found = await readTables(nft)
    cached = generation === (await generationNow()) ? { generation, found } : null
    return found
  })
  return { foreign: () => orUnread(read) }
}

async function orUnread(read: () => Promise<ForeignFound>): Promise<ForeignFound> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof KernelError || error instanceof SyntaxError)
      return nothingForeign(error.message.replace(/[\u0000-\u001f\u007f]/g, ' ').slice(0, 300))
    throw error
  }
}

export const foreignUnread = (detail: string): Netfilter => ({ foreign: async () => nothingForeign(detail) })

async function readTables(nft: Nft): Promise<ForeignFound> {
  // In its JSON nft 1.0.6 has no names for the flags of an owned table, such as ours: it breaks off there, or crashes.
  const { tables, unnamed } = foreignTables((await nft.text('list tables')) ?? '')
  const [json, text]: [string[], string[]] = [[], []]
  let broken = 0
  // One at a time: nft 1.0.6 keeps but one table in mind for a command that lists several. One that is gone by then is
  // gone.
  for (const table of tables) {
    const listed = (await nft.list(`list table ${table}`)) ?? ''
    if (!isWhole(listed)) broken += 1
    else json.push(listed)
    text.push((await nft.text(`list table ${table}`)) ?? '')
  }
  const found = readForeign(json.join('\n'), text.join('\n'))
  const unread = [
    unnamed === 0 ? '' : message('root.unaskable', { count: unnamed }).message,
    broken === 0 ? '' : message('root.broken_off', { count: broken }).message,
  ].filter((one) => one !== '')
  return { ...found, is_whole: found.is_whole && unread.length === 0, detail: unread.join('; ') }
}

function isWhole(listed: string): boolean {
  try {
    return listed === '' || Boolean(JSON.parse(listed))
  } catch {
    return false
  }
}
