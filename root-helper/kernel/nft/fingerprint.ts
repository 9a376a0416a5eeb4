// What the kernel holds of our table, as a digest of its own messages: it shows without nft, and without reading a rule,
// whether a change of the ruleset by another program concerns the table. What counts by itself is left out.
import { createHash } from 'node:crypto'
import { COUNTED, TABLE_NAME, type TableSet } from '@panel/shared/ruleset/nft/table.ts'
import { Attributes } from '../../netlink/attributes.ts'
import type { Message } from '../../netlink/message.ts'
import * as k from '../../netlink/nftables/constants.ts'
import { elementsRequest, eachElement } from '../../netlink/nftables/elements.ts'
import {
  chainsRequest,
  flowtablesRequest,
  objectsRequest,
  rulesRequest,
  setsRequest,
  tableRequest,
} from '../../netlink/nftables/nftables.ts'
import type { NetlinkSocket, Request } from '../../netlink/socket.ts'
import { unlessAbsent } from '../../kernel-error.ts'

type Socket = Pick<NetlinkSocket, 'request' | 'dump'>

/** `sets` are those that are known; one of another program's shows in the list of sets. */
export async function fingerprint(socket: Socket, sets: ReadonlyMap<string, TableSet>): Promise<string> {
  const hash = createHash('sha1')
  const whole = ({ body }: Message): void => void hash.update(body.subarray(k.NFGENMSG_BYTES))
  const some = (attributes: Attributes, types: readonly number[]): void => {
    for (const type of types) hash.update(`${type}:`).update(attributes.raw(type) ?? '')
  }
  const read = (message: Message): Attributes => new Attributes(message.body, k.NFGENMSG_BYTES)
  const dump = async (request: Request): Promise<Message[]> => (await unlessAbsent(socket.dump(request))) ?? []
  for (const one of (await unlessAbsent(socket.request(tableRequest(TABLE_NAME)))) ?? [])
    some(read(one), [k.NFTA_TABLE_FLAGS, k.NFTA_TABLE_HANDLE])
  // The kernel lists the chains of every table of the family.
  for (const one of await dump(chainsRequest(k.NFPROTO_INET)))
    if (read(one).text(k.NFTA_CHAIN_TABLE) === TABLE_NAME) whole(one)
  for (const one of await dump(rulesRequest(TABLE_NAME))) whole(one)
  for (const one of await dump(setsRequest(TABLE_NAME))) some(read(one), k.NFTA_SET_DECLARED)
  for (const one of await dump(flowtablesRequest(TABLE_NAME))) whole(one)
  for (const one of await dump(objectsRequest(TABLE_NAME))) some(read(one), [k.NFTA_OBJ_NAME, k.NFTA_OBJ_TYPE])
  for (const [name, { kind, declaration, elements }] of sets) {
    if (kind === 'flowtable' || elements === null) continue
    hash.update(`${name}:`)
    const isCounted = declaration.includes(COUNTED)
    for (const one of await dump(elementsRequest(TABLE_NAME, name, [])))
      if (isCounted) for (const element of eachElement(one)) some(element, [k.NFTA_SET_ELEM_KEY, k.NFTA_SET_ELEM_FLAGS])
      else whole(one)
  }
  return hash.digest('hex')
}
