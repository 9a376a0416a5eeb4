// Networks, for the fake kernel and the real one.
import assert from 'node:assert/strict'
import type { Kernel } from '@panel/root-helper/kernel/facilities.ts'
import { canonicalNetwork } from '@panel/shared/network/canonical.ts'
import { exampleConfig } from '../support/example.ts'
import { exampleNetwork } from '../support/example-network.ts'

const NAMES = ['gre-c-1', 'gre-c-2'] as const

export function networksContract(open: () => Promise<Kernel>): void {
  for (const destination of ['10.50.0.0/16', 'fd50::/48'])
    it(`holds a network, says what it lacks, and follows its links: ${destination}`, async () => {
      const { links, networks } = await open()
      for (const [at, name] of NAMES.entries()) {
        await links.create(name, { ...exampleConfig, remote_endpoint: `198.51.100.${at + 80}`, addresses: [] })
        await links.addAddress(name, { address: `172.17.${at + 80}.1`, peer_address: '', prefix_length: 30 })
        await links.setUp(name, true)
      }
      const own = destination.includes(':') ? 'fd66::1' : '10.66.0.1'
      const paths = NAMES.map((interface_name, at) => ({ interface_name, weight: at + 1 }))
      const state = canonicalNetwork(exampleNetwork({ destination, paths, own_addresses: [own], source: own }))
      const lacks = async () => (await networks.found([destination]))[0]?.state.lacks
      await networks.keep([state])
      assert.deepEqual(await lacks(), [own, 'route'].sort())
      await networks.addAddress(own)
      await networks.addAddress(own)
      await networks.setRoutes([state])
      await networks.setRoutes([state])
      const { metric, source } = state
      assert.deepEqual(await networks.found([]), [{ state, held: { metric, source, paths } }])
      assert.deepEqual(await networks.strays([destination], [own]), [])
      await links.setUp('gre-c-1', false)
      assert.deepEqual(await lacks(), ['gre-c-1'])
      await links.setUp('gre-c-1', true)
      await networks.follow()
      assert.deepEqual(await lacks(), [])
      await networks.removeRoute(destination)
      assert.deepEqual(await lacks(), ['route'])
      await networks.setRoutes([state])
      await networks.forget(destination)
      assert.deepEqual(await networks.found([]), [])
      assert.deepEqual(await networks.strays([destination], [own]), [destination, own])
      await networks.removeRoute(destination)
      await networks.removeAddress(own)
      assert.deepEqual(await networks.strays([destination], [own]), [])
      for (const name of NAMES) await links.delete(name)
    })
}
