// Carries out one step for a tunnel: the only place where a plan becomes a change of the host.
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import type { FileKind } from '@panel/shared/tunnel/model.ts'
import { savedFileName, isNetworkdKind, renderFile } from '@panel/shared/tunnel/saved-file.ts'
import type { Kernel, SavedFiles } from '../../kernel/facilities.ts'

export function executeTunnelStep(kernel: Kernel, step: TunnelStep): Promise<void> {
  const { links, units, networkd, answers } = kernel
  const name = step.interface_name
  switch (step.kind) {
    case 'link_create':
      // Else networkd would work on the new link by what it read before.
      return networkd.settled(name).then(() => links.create(name, step.config))
    case 'link_delete':
      // Else networkd, which may be reading its files at this moment, would make the link again.
      return networkd.settled(name).then(() => links.delete(name))
    case 'link_up':
      return links.setUp(name, true)
    case 'link_down':
      return links.setUp(name, false)
    case 'link_set_mtu':
      return links.setMtu(name, step.mtu)
    case 'link_set_txqueuelen':
      return links.setTxQueueLength(name, step.tx_queue_length)
    case 'address_add':
      return links.addAddress(name, step.address)
    case 'address_remove':
      return links.removeAddress(name, step.address)
    case 'route_add':
      return links.addRoute(name, step.route)
    case 'file_write':
      return savedFiles(kernel, step.saved.file).write(
        savedFileName(step.saved.file, name),
        renderFile(name, step.saved),
      )
    case 'file_remove':
      return savedFiles(kernel, step.file).remove(savedFileName(step.file, name))
    case 'systemd_enable':
      return units.setEnabled(savedFileName(step.file, name), true)
    case 'systemd_disable':
      return units.setEnabled(savedFileName(step.file, name), false)
    case 'networkd_reload':
      return networkd.reloadFor(name)
    case 'answers_start':
    case 'answers_stop':
      return step.kind === 'answers_start' ? answers.start(name) : answers.stop(name)
  }
}

export const savedFiles = ({ units, networkd }: Pick<Kernel, 'units' | 'networkd'>, kind: FileKind): SavedFiles =>
  isNetworkdKind(kind) ? networkd : units
