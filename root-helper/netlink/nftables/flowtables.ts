// The devices of a flowtable over nfnetlink.
import { Attributes, forEachAttribute, nest, text, u32be } from '../attributes.ts'
import { NLM_F_CREATE } from '../constants.ts'
import type { Message } from '../message.ts'
import type { Request } from '../socket.ts'
import * as k from './constants.ts'
import { nfnetlink } from './nftables.ts'

export const flowtableRequest = (table: string, name: string): Request =>
  nfnetlink(
    `read the flowtable ${name}`,
    k.NFT_MSG_GETFLOWTABLE,
    k.NFPROTO_INET,
    text(k.NFTA_FLOWTABLE_TABLE, table),
    text(k.NFTA_FLOWTABLE_NAME, name),
  )

/** Adds a device to an existing flowtable that stays the same otherwise: at ingress with priority 0, counting. */
export const addDevice = (table: string, name: string, device: string): Request => ({
  ...nfnetlink(
    `add ${device} to the flowtable ${name}`,
    k.NFT_MSG_NEWFLOWTABLE,
    k.NFPROTO_INET,
    text(k.NFTA_FLOWTABLE_TABLE, table),
    text(k.NFTA_FLOWTABLE_NAME, name),
    nest(
      k.NFTA_FLOWTABLE_HOOK,
      u32be(k.NFTA_FLOWTABLE_HOOK_NUM, k.NF_NETDEV_INGRESS),
      u32be(k.NFTA_FLOWTABLE_HOOK_PRIORITY, 0),
      nest(k.NFTA_FLOWTABLE_HOOK_DEVS, text(k.NFTA_DEVICE_NAME, device)),
    ),
    u32be(k.NFTA_FLOWTABLE_FLAGS, k.NFT_FLOWTABLE_COUNTER),
  ),
  flags: NLM_F_CREATE,
})

export function devicesOf({ body }: Message): string[] {
  const hook = new Attributes(body, k.NFGENMSG_BYTES).nested(k.NFTA_FLOWTABLE_HOOK)
  return namesIn(hook?.raw(k.NFTA_FLOWTABLE_HOOK_DEVS) ?? null)
}

/** Each name is an attribute of its own within the list. */
function namesIn(list: Buffer | null): string[] {
  const names: string[] = []
  if (list)
    forEachAttribute(list, 0, list.length, (type, from, to) => {
      if (type === k.NFTA_DEVICE_NAME) names.push(list.toString('latin1', from, to).replace(/\0+$/, ''))
    })
  return names
}
