// Says what a step for a network does: a sentence for a person, and the ip command that would do the same, where there
// is one; to be read and never run.
import { message, type Message } from '../messages/message.ts'
import { carrying } from './canonical.ts'
import { ROUTE_PROTOCOL, type NetworkState, type NetworkStates } from './model.ts'
import type { NetworkStep } from './plan.ts'

export interface NetworkStepDescription {
  readonly kind: NetworkStep['kind']
  readonly description: Message
  readonly argv?: string[]
}

export const describeNetwork = (step: NetworkStep): NetworkStepDescription => ({
  kind: step.kind,
  ...description(step),
})

function description(step: NetworkStep): Omit<NetworkStepDescription, 'kind'> {
  switch (step.kind) {
    case 'network_keep':
      return { description: describeKeeping(step.states) }
    case 'network_forget':
      return { description: message('step.network_forget', { network: step.destination }) }
    case 'network_route_set':
      return { description: describeRoutes(step.states) }
    case 'network_route_remove':
      return {
        description: message('step.network_route_remove', { network: step.destination }),
        argv: ['ip', 'route', 'delete', step.destination, 'proto', `${ROUTE_PROTOCOL}`],
      }
    case 'own_address_add':
      return {
        description: message('step.own_address_add', { address: step.address }),
        argv: onLoopback('add', step.address),
      }
    case 'own_address_remove':
      return {
        description: message('step.own_address_remove', { address: step.address }),
        argv: onLoopback('delete', step.address),
      }
    case 'network_answers': {
      const params = { addresses: step.addresses.join(', ') }
      return { description: message(step.is_on ? 'step.network_answers' : 'step.network_answers_stop', params) }
    }
  }
}

function describeKeeping(states: NetworkStates): Message {
  const [first] = states
  return first && states.length === 1
    ? message('step.network_keep', { network: first.destination })
    : message('step.networks_keep', { networks: message('object.networks', { count: states.length }) })
}

function describeRoutes(states: NetworkStates): Message {
  const [first] = states
  return first && states.length === 1
    ? describeRoute(first)
    : message('step.networks_route_set', { networks: message('object.networks', { count: states.length }) })
}

function describeRoute({ destination, metric, source, paths }: NetworkState): Message {
  const by = carrying(paths)
  const names = by.length === 1 ? by.map(({ interface_name }) => interface_name) : by.map(weighted)
  const params = { network: destination, paths: names.join(', '), metric }
  return source === null
    ? message('step.network_route_set', params)
    : message('step.network_route_set_from', { ...params, source })
}

const weighted = ({ interface_name, weight }: NetworkState['paths'][number]): string => `${interface_name} (${weight})`

const onLoopback = (verb: 'add' | 'delete', address: string): string[] => [
  ...['ip', 'address', verb, `${address}/${address.includes(':') ? 128 : 32}`, 'dev', 'lo'],
]
