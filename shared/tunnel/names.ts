// Names that no tunnel can have, whatever else is under them. Pure.
import { message, type Message } from '../messages/message.ts'
import { KERNEL_STUBS } from './model.ts'

/** They mean every interface, under /proc/sys/net and to systemd-networkd. */
const EVERY: readonly string[] = ['all', 'default']
/**
 * What the kernel or udev calls network cards (systemd.net-naming-scheme(7)): a tunnel of that name, made at boot,
 * would keep a card from getting it.
 */
const OF_CARDS =
  /^(?:(?:eth|wlan|wwan|usb|ib)[0-9]+|(?:en|ib|sl|wl|ww)(?:[bdiosuvX][0-9]|(?:P[0-9]+)?p[0-9]|x[0-9a-f]{12}).*)$/

/** Null where a tunnel can have it; else the rest of a sentence that begins with the name. */
export function whyNoTunnelName(name: string): Message | null {
  if ((KERNEL_STUBS as readonly string[]).includes(name)) return message('tunnel.name_of_kernel')
  if (EVERY.includes(name)) return message('tunnel.name_means_all')
  return OF_CARDS.test(name) ? message('tunnel.name_of_card') : null
}
