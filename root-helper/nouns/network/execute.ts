// Carries out one step for networks: the only place where a plan becomes a change of the host.
import type { NetworkStep } from '@panel/shared/network/plan.ts'
import type { Kernel } from '../../kernel/facilities.ts'

export function executeNetworkStep(
  { networks, answers }: Pick<Kernel, 'networks' | 'answers'>,
  step: NetworkStep,
): Promise<void> {
  switch (step.kind) {
    case 'network_keep':
      return networks.keep(step.states)
    case 'network_forget':
      return networks.forget(step.destination)
    case 'network_route_set':
      return networks.setRoutes(step.states)
    case 'network_route_remove':
      return networks.removeRoute(step.destination)
    case 'own_address_add':
      return networks.addAddress(step.address)
    case 'own_address_remove':
      return networks.removeAddress(step.address)
    case 'network_answers':
      return answers.follow()
  }
}
