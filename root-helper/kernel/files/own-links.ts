// The links that are the panel's, in one file: what the helper made or adopted since the last boot. The kernel gives no
// second link the same index.
import { verbatim } from '@panel/shared/messages/message.ts'
import { RefusedError } from '../../refused.ts'
import type { OwnLinks } from '../facilities.ts'
import { damageOf, readWritten, type StateFolder } from './state-folder.ts'

const NAME = 'links.json'

/** Whether a link is the panel's, by its index. */
type Links = Map<number, boolean>

export function ownLinksIn(folder: StateFolder, boot_id: string): OwnLinks {
  let links: Links | null = null
  /**
   * Reads the record. A file that cannot be read is tried again each time, since the operator may have set it aside.
   */
  const held = (): { links: Links; trouble: string | null } => {
    try {
      links ??= readWritten(folder, NAME, (text) => parse(text, boot_id)) ?? new Map()
      return { links, trouble: null }
    } catch (error) {
      return { links: new Map(), trouble: damageOf('root.links_damaged', error) }
    }
  }
  const write = async (index: number, isOurs: boolean): Promise<void> => {
    const { links: before, trouble } = held()
    if (trouble !== null) throw new RefusedError('state_unusable', verbatim(trouble))
    if (before.get(index) === isOurs) return
    const next = new Map(before).set(index, isOurs)
    await folder.write(NAME, JSON.stringify({ boot_id, links: [...next] }))
    links = next
  }
  return {
    isOwn: (index) => held().links.get(index) ?? null,
    keep: (index) => write(index, true),
    release: (index) => write(index, false),
    gone: (index) => void held().links.delete(index),
    only(indexes) {
      const { links } = held()
      for (const index of links.keys()) if (!indexes.has(index)) links.delete(index)
    },
    trouble: () => held().trouble,
  }
}

/** What was written before the last boot speaks of links that are gone. */
function parse(text: string, boot_id: string): Links {
  const written = JSON.parse(text) as { boot_id?: unknown; links?: unknown } | null
  if (typeof written?.boot_id !== 'string' || !Array.isArray(written.links) || !written.links.every(isEntry))
    throw new Error('It holds no list of links')
  return new Map(written.boot_id === boot_id ? written.links : [])
}

const isEntry = (value: unknown): value is [number, boolean] =>
  Array.isArray(value) && value.length === 2 && Number.isSafeInteger(value[0]) && typeof value[1] === 'boolean'
