// Changes of nftables over nfnetlink: counters and elements that come and go, all of them in one commit or none.
import type { Element, SetChange } from '@panel/shared/ruleset/nft/change.ts'
import { attribute, nest, text, u32be } from '../attributes.ts'
import { NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL } from '../constants.ts'
import type { Request } from '../socket.ts'
import * as k from './constants.ts'
import { elementList, elementTypes, encodeBytes, keyAttribute } from './elements.ts'
import { nfnetlink } from './nftables.ts'

/** In one message: the list of its elements is one attribute, which holds less than 64 KiB. */
const ELEMENTS_AT_ONCE = 250

export interface BatchOptions {
  /** The kernel refuses it with ERESTART where the ruleset is of another one. */
  readonly generation?: number
  /** The kernel looks at all of it and changes nothing, as nft --check has it: such a batch has no end. */
  readonly isRehearsal?: boolean
}

export function batch(changes: readonly Request[], { generation, isRehearsal = false }: BatchOptions = {}): Request[] {
  const last = changes.length - 1
  return [
    edge(k.NFNL_MSG_BATCH_BEGIN, ...(generation === undefined ? [] : [u32be(k.NFNL_BATCH_GENID, generation)])),
    ...changes.map((one, at) => (at === last ? { ...one, flags: (one.flags ?? 0) | NLM_F_ACK } : one)),
    ...(isRehearsal ? [] : [edge(k.NFNL_MSG_BATCH_END)]),
  ]
}

/** struct nfgenmsg with the subsystem in its res_id, in network order. */
const edge = (type: number, ...attributes: readonly Buffer[]): Request => ({
  what: 'change the ruleset',
  type,
  parts: [Buffer.from([k.NFPROTO_UNSPEC, 0, 0, k.NFNL_SUBSYS_NFTABLES]), ...attributes],
})

/** Creates the table, or takes it over if it exists: its sender owns it until the socket is closed. */
export const ownTable = (table: string): Request => ({
  ...nfnetlink(
    `own the table ${table}`,
    k.NFT_MSG_NEWTABLE,
    k.NFPROTO_INET,
    text(k.NFTA_TABLE_NAME, table),
    u32be(k.NFTA_TABLE_FLAGS, k.NFT_TABLE_F_OWNER | k.NFT_TABLE_F_PERSIST),
  ),
  flags: NLM_F_CREATE,
})

export const deleteTable = (table: string): Request =>
  nfnetlink(`delete the table ${table}`, k.NFT_MSG_DELTABLE, k.NFPROTO_INET, text(k.NFTA_TABLE_NAME, table))

export const addCounter = (table: string, name: string): Request => ({
  ...counter(k.NFT_MSG_NEWOBJ, table, name, nest(k.NFTA_OBJ_DATA)),
  flags: NLM_F_CREATE,
})

/** Refused of one that is there. */
export const makeCounter = (table: string, name: string): Request => ({
  ...addCounter(table, name),
  flags: NLM_F_CREATE | NLM_F_EXCL,
})

export const deleteCounter = (table: string, name: string): Request => counter(k.NFT_MSG_DELOBJ, table, name)

const counter = (type: number, table: string, name: string, ...more: readonly Buffer[]): Request =>
  nfnetlink(
    `change the counter ${name}`,
    type,
    k.NFPROTO_INET,
    text(k.NFTA_OBJ_TABLE, table),
    text(k.NFTA_OBJ_NAME, name),
    u32be(k.NFTA_OBJ_TYPE, k.NFT_OBJECT_COUNTER),
    ...more,
  )

export const addElements = (table: string, { name, set, come }: SetChange): Request[] => {
  const { keys, values } = elementTypes(set)
  return inMessages(come, (some) => {
    const list = some.map(([key, value]) => [keyAttribute(keys, key), ...valueAttributes(values, value)])
    return { ...elements(k.NFT_MSG_NEWSETELEM, table, name, list), flags: NLM_F_CREATE }
  })
}

export const deleteElements = (table: string, { name, set, gone }: SetChange): Request[] => {
  const { keys } = elementTypes(set)
  return inMessages(gone, (some) => {
    const list = some.map(([key]) => [keyAttribute(keys, key)])
    return elements(k.NFT_MSG_DELSETELEM, table, name, list)
  })
}

/** A value names what is there already: a mark, an address, a counter. */
function valueAttributes(types: readonly string[], value: string): Buffer[] {
  if (value === '') return []
  if (types[0] === 'counter') return [text(k.NFTA_SET_ELEM_OBJREF, value)]
  return [nest(k.NFTA_SET_ELEM_DATA, attribute(k.NFTA_DATA_VALUE, encodeBytes(types, value)))]
}

const elements = (type: number, table: string, set: string, list: readonly (readonly Buffer[])[]): Request =>
  nfnetlink(
    `change the elements of ${set}`,
    type,
    k.NFPROTO_INET,
    text(k.NFTA_SET_ELEM_LIST_TABLE, table),
    text(k.NFTA_SET_ELEM_LIST_SET, set),
    elementList(list),
  )

function inMessages(all: readonly Element[], message: (some: readonly Element[]) => Request): Request[] {
  const messages: Request[] = []
  for (let at = 0; at < all.length; at += ELEMENTS_AT_ONCE) messages.push(message(all.slice(at, at + ELEMENTS_AT_ONCE)))
  return messages
}
