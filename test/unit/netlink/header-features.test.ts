// The features of an outer header that the panel cannot hold: each is known as one that a change of the header loses.
import assert from 'node:assert/strict'
import { lostFeatures } from '@panel/shared/tunnel/unmodelled.ts'
import { attribute, Attributes, u32 } from '@panel/root-helper/netlink/attributes.ts'
import * as k from '@panel/root-helper/netlink/constants.ts'
import { decodeGre, unmodelledGre } from '@panel/root-helper/netlink/gre.ts'

const HEADER = [{ kind: 'link_set' }] as const
const IN_PLACE = [{ kind: 'link_set_mtu' }, { kind: 'link_set_multicast' }, { kind: 'address_add' }] as const
const NEW_LINK = [{ kind: 'link_delete' }, { kind: 'link_create' }] as const

describe('A feature that the panel cannot hold', () => {
  const featuresOf = (remote: string): string[] => {
    const all = [
      attribute(k.IFLA_GRE_COLLECT_METADATA, Buffer.alloc(0)),
      attribute(k.IFLA_GRE_REMOTE, Buffer.from(remote, 'hex')),
      attribute(k.IFLA_GRE_ENCAP_TYPE, Uint8Array.of(1, 0)),
      u32(k.IFLA_GRE_FLAGS, 0xffff_ffff),
    ]
    const attributes = new Attributes(Buffer.concat(all), 0)
    return unmodelledGre(decodeGre('ip6gre', attributes), attributes)
  }

  it('of the outer header is lost with another header, whichever it is', () => {
    for (const remote of ['00'.repeat(16), `ff02${'00'.repeat(13)}01`]) {
      const features = featuresOf(remote)
      assert.equal(features.length, 9, features.join())
      assert.deepEqual(lostFeatures(features, HEADER), features)
    }
    for (const feature of ['link-netnsid 3', 'dev eth0:1']) assert.deepEqual(lostFeatures([feature], HEADER), [feature])
  })

  it('of the link is lost with the link alone, and none of them by other steps', () => {
    const words =
      'master br0,alias office,altname london,device,group 5,promisc on,allmulticast on,arp off,protodown on'
    const features = [...words.split(','), 'mode dormant', 'xdp', 'address 10.0.0.1/24 label x', 'mip6']
    assert.deepEqual(lostFeatures(features, HEADER), ['mip6'])
    assert.deepEqual(lostFeatures(features, NEW_LINK), features)
    assert.deepEqual(lostFeatures(features, IN_PLACE), [])
  })
})
