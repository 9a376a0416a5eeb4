// The sysctls that an interface has of its own: a new link of the same name begins with those of conf/default.
import { writeFileSync } from 'node:fs'
import { message } from '@panel/shared/messages/message.ts'
import type { LinkSettings } from '../facilities.ts'
import { KernelError } from '../../kernel-error.ts'
import { errorCode } from '../files/files.ts'
import { textIn } from '../files/proc.ts'

/** Those by which packets are accepted, answered and sent on. */
const KEYS = [
  ...['accept_local', 'accept_redirects', 'arp_filter', 'forwarding', 'log_martians', 'proxy_arp', 'route_localnet']
    .concat('rp_filter', 'send_redirects', 'src_valid_mark')
    .map((key) => ['ipv4', key] as const),
  ...['accept_ra', 'accept_redirects', 'disable_ipv6', 'forwarding', 'proxy_ndp'].map((key) => ['ipv6', key] as const),
]

const fileOf = (interface_name: string, family: string, key: string): string =>
  `/proc/sys/net/${family}/conf/${interface_name}/${key}`

/** Those that differ from what a new link begins with, by their files; none where there is no such link. */
export function readSettings(interface_name: string): LinkSettings {
  return KEYS.flatMap(([family, key]) => {
    const [own, usual] = [interface_name, 'default'].map((name) => textIn(fileOf(name, family, key))?.trim())
    return own === undefined || own === usual ? [] : [{ family, key, value: own }]
  })
}

export function writeSettings(interface_name: string, settings: LinkSettings): void {
  for (const { family, key, value } of settings) {
    const file = fileOf(interface_name, family, key)
    try {
      writeFileSync(file, `${value}\n`)
    } catch (error) {
      const code = errorCode(error) ?? 'EIO'
      throw new KernelError(code, message('root.not_set', { file, error: code }).message)
    }
  }
}
