// Carries out one step for a tunnel: the only place where a plan becomes a change of the host.
import type { TunnelStep } from '@panel/shared/plan/step.ts'
import { renderSystemdUnit, unitNameOf } from '@panel/shared/render/systemd-unit.ts'
import type { Kernel } from '../kernel/facilities.ts'

export function executeTunnelStep({ links, units }: Kernel, step: TunnelStep): Promise<void> {
  const name = step.interface_name
  switch (step.kind) {
    case 'link_create':
      return links.create(name, step.config)
    case 'link_delete':
      return links.delete(name)
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
    case 'file_write':
      return units.write(unitNameOf(name), renderSystemdUnit(name, step.config))
    case 'file_remove':
      return units.remove(unitNameOf(name))
    case 'systemd_enable':
      return units.setEnabled(unitNameOf(name), true)
    case 'systemd_disable':
      return units.setEnabled(unitNameOf(name), false)
  }
}
