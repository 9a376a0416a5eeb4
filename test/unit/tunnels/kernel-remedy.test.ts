// What to do where the kernel cannot make tunnels, before the kernel's own words (web-daemon.md).
import assert from 'node:assert/strict'
import { kernelRemedy } from '@panel/shared/tunnel/kernel-remedy.ts'

describe('The remedy for a kernel without tunnels', () => {
  it('is to load the drivers of the kinds that are missing, each once', () => {
    const refused = (...kinds: string[]) => kinds.map((kind) => ({ kind, detail: 'Operation not supported' }))
    assert.match(kernelRemedy(refused('gre', 'gretap')).message, /^Load the GRE driver as root: modprobe -a ip_gre\./)
    assert.match(kernelRemedy(refused('gre', 'ip6gre', 'ip6gretap')).message, /modprobe -a ip_gre ip6_gre\./)
    assert.match(kernelRemedy(refused('ip6gretap')).message, /modprobe -a ip6_gre\./)
  })

  it('is another where the panel is not allowed to make them, as in a container', () => {
    const refused = [{ kind: 'gre', detail: 'Operation not permitted' }]
    assert.match(kernelRemedy(refused).message, /^The panel is not allowed.*NET_ADMIN/)
  })
})
