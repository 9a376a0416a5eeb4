// A network behind two tunnels, and whatever of it a test wants otherwise.
import type { NetworkState } from '@panel/shared/network/model.ts'

export const exampleNetwork = (fields: Partial<NetworkState> = {}): NetworkState => ({
  destination: '10.50.0.0/16',
  metric: 50,
  source: null,
  paths: [
    { interface_name: 'gre-a-1', weight: 1 },
    { interface_name: 'gre-a-2', weight: 0 },
  ],
  own_addresses: [],
  lacks: [],
  ...fields,
})
