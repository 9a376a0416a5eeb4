// nftables over nfnetlink: tables, counters, and the rules of a chain as the bytes that they are.
import { Attributes, forEachAttribute, text, u32be } from '../attributes.ts'
import type { Message } from '../message.ts'
import * as k from './constants.ts'
import type { Request } from '../socket.ts'

export const nfnetlink = (what: string, type: number, family: number, ...attributes: readonly Buffer[]): Request => ({
  what,
  type: k.NFNL_SUBSYS_NFTABLES * 256 + type,
  parts: [Buffer.from([family, 0, 0, 0]), ...attributes],
})

/** A dump of all tables of all families. */
export const tablesRequest = (): Request => nfnetlink('list the tables', k.NFT_MSG_GETTABLE, k.NFPROTO_UNSPEC)
/** A dump of all chains of one family. */
export const chainsRequest = (family: number): Request => nfnetlink('list the chains', k.NFT_MSG_GETCHAIN, family)
export const tableRequest = (table: string): Request =>
  nfnetlink(`look for the table ${table}`, k.NFT_MSG_GETTABLE, k.NFPROTO_INET, text(k.NFTA_TABLE_NAME, table))
/** All of them as a dump, or one by its name as a request. */
export const countersRequest = (table: string, name?: string): Request =>
  nfnetlink(
    name === undefined ? 'read the counters' : `read the counter ${name}`,
    k.NFT_MSG_GETOBJ,
    k.NFPROTO_INET,
    text(k.NFTA_OBJ_TABLE, table),
    ...(name === undefined ? [] : [text(k.NFTA_OBJ_NAME, name)]),
    u32be(k.NFTA_OBJ_TYPE, k.NFT_OBJECT_COUNTER),
  )
export const chainRequest = (table: string, chain: string): Request =>
  nfnetlink(
    `list the chain ${chain}`,
    k.NFT_MSG_GETRULE,
    k.NFPROTO_INET,
    text(k.NFTA_RULE_TABLE, table),
    text(k.NFTA_RULE_CHAIN, chain),
  )

/** A dump of the lines of every chain of the table. */
export const rulesRequest = (table: string): Request =>
  nfnetlink('list the chains', k.NFT_MSG_GETRULE, k.NFPROTO_INET, text(k.NFTA_RULE_TABLE, table))
/** A dump of the sets of the table, without their elements. */
export const setsRequest = (table: string): Request =>
  nfnetlink('list the sets', k.NFT_MSG_GETSET, k.NFPROTO_INET, text(k.NFTA_SET_TABLE, table))
/** A dump of the counters of the table, and of whatever else has a name there. */
export const objectsRequest = (table: string): Request =>
  nfnetlink('list the objects', k.NFT_MSG_GETOBJ, k.NFPROTO_INET, text(k.NFTA_OBJ_TABLE, table))
/** A dump of the flowtables of the table. */
export const flowtablesRequest = (table: string): Request =>
  nfnetlink('list the flowtables', k.NFT_MSG_GETFLOWTABLE, k.NFPROTO_INET, text(k.NFTA_FLOWTABLE_TABLE, table))

/** The chain itself, by its name as a request, which fails where it is not there. */
export const chainItselfRequest = (table: string, chain: string): Request =>
  nfnetlink(
    `look for the chain ${chain}`,
    k.NFT_MSG_GETCHAIN,
    k.NFPROTO_INET,
    text(k.NFTA_CHAIN_TABLE, table),
    text(k.NFTA_CHAIN_NAME, chain),
  )
export const setItselfRequest = (table: string, set: string): Request =>
  nfnetlink(
    `look for the set ${set}`,
    k.NFT_MSG_GETSET,
    k.NFPROTO_INET,
    text(k.NFTA_SET_TABLE, table),
    text(k.NFTA_SET_NAME, set),
  )

/** Whether no hook leads to the chain. */
export const isPlainChain = ({ body }: Message): boolean =>
  !new Attributes(body, k.NFGENMSG_BYTES).has(k.NFTA_CHAIN_HOOK)

export const decodeChainName = ({ body }: Message): string =>
  new Attributes(body, k.NFGENMSG_BYTES).text(k.NFTA_CHAIN_NAME) ?? ''

export interface FoundTable {
  readonly family: number
  readonly name: string
  /** Another one each time that a table of the name is made. */
  readonly handle: number
  readonly flags: number
  /** The port of the socket that owns it; null while nobody does. */
  readonly owner: number | null
}

export function decodeTable({ body }: Message): FoundTable {
  const a = new Attributes(body, k.NFGENMSG_BYTES)
  return {
    family: body.readUInt8(0),
    name: a.text(k.NFTA_TABLE_NAME) ?? '',
    handle: a.u64be(k.NFTA_TABLE_HANDLE) ?? 0,
    flags: a.u32be(k.NFTA_TABLE_FLAGS) ?? 0,
    owner: a.u32be(k.NFTA_TABLE_OWNER) ?? null,
  }
}

export interface NamedCounter {
  readonly name: string
  readonly bytes: number
  readonly packets: number
}

/** Null for an object of another kind. */
export function decodeCounter({ body }: Message): NamedCounter | null {
  const a = new Attributes(body, k.NFGENMSG_BYTES)
  const data = a.u32be(k.NFTA_OBJ_TYPE) === k.NFT_OBJECT_COUNTER ? a.nested(k.NFTA_OBJ_DATA) : null
  return (
    data && {
      name: a.text(k.NFTA_OBJ_NAME) ?? '',
      bytes: data.u64be(k.NFTA_COUNTER_BYTES) ?? 0,
      packets: data.u64be(k.NFTA_COUNTER_PACKETS) ?? 0,
    }
  )
}

/** The expressions that the kernel runs for a rule, in hexadecimal, without comments and handles. */
export const decodeRule = ({ body }: Message): string =>
  new Attributes(body, k.NFGENMSG_BYTES).raw(k.NFTA_RULE_EXPRESSIONS)?.toString('hex') ?? ''

/** Each attribute of one type within a nest. */
export function each(nest: Buffer | null, type: number): Attributes[] {
  const found: Attributes[] = []
  if (nest)
    forEachAttribute(
      nest,
      0,
      nest.length,
      (one, from, to) => void (one === type && found.push(new Attributes(nest, from, to))),
    )
  return found
}
