// Carries out one step for a tunnel: the only place where a plan becomes a change of the host.
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import type { FileKind, SavedFile } from '@panel/shared/tunnel/model.ts'
import { savedFileName, isNetworkdKind, renderFile } from '@panel/shared/tunnel/saved-file.ts'
import type { Kernel, SavedFiles } from '../../kernel/facilities.ts'

export function executeTunnelStep(kernel: Kernel, step: TunnelStep): Promise<void> {
  const { links, units, networkd, answers } = kernel
  const name = step.interface_name
  switch (step.kind) {
    // Else networkd would work on the link by what it read before, or, while it reads, make one again that is deleted.
    case 'link_create':
      return networkd.settled(name).then(() => links.create(name, step.config))
    case 'link_set':
      return networkd.settled(name).then(() => links.change(name, step.config))
    case 'link_delete':
      return networkd.settled(name).then(() => links.delete(name))
    case 'link_up':
    case 'link_down':
      return links.setUp(name, step.kind === 'link_up')
    case 'link_set_mtu':
      return links.setMtu(name, step.mtu)
    case 'link_set_txqueuelen':
      return links.setTxQueueLength(name, step.tx_queue_length)
    case 'link_set_multicast':
      return links.setMulticast(name, step.is_multicast)
    case 'address_add':
      return links.addAddress(name, step.address)
    case 'address_remove':
      return links.removeAddress(name, step.address)
    case 'route_add':
      return links.addRoute(name, step.route)
    case 'file_write':
      return writeFile(kernel, name, step.saved)
    case 'file_remove':
      return savedFiles(kernel, step.file).remove(savedFileName(step.file, name))
    case 'systemd_enable':
    case 'systemd_disable':
      return units.setEnabled(savedFileName(step.file, name), step.kind === 'systemd_enable')
    case 'networkd_reload':
      return networkd.reloadFor(name)
    case 'answers_start':
    case 'answers_stop':
      return step.kind === 'answers_start' ? answers.start(name) : answers.stop(name)
  }
}

const writeFile = (kernel: Kernel, name: string, saved: SavedFile): Promise<void> =>
  savedFiles(kernel, saved.file).write(savedFileName(saved.file, name), renderFile(name, saved))

export const savedFiles = ({ units, networkd }: Pick<Kernel, 'units' | 'networkd'>, kind: FileKind): SavedFiles =>
  isNetworkdKind(kind) ? networkd : units
