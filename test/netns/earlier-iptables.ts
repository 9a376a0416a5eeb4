// What an earlier version made where iptables carries out the relay rules: each rule had a line of its own that
// masquerades, and there was no chain of the sources.
import type { KernelNamespace } from './kernel-namespace.ts'

/** `tool` is iptables or ip6tables of a variant. */
export function takeSourcesAway(run: KernelNamespace['run'], tool: string): void {
  const saved = run(`${tool}-save`, ['-t', 'nat'])
  const lines = [...saved.matchAll(/^-A PANEL-SNAT (.*)$/gm)].map(([, line = ''], at) => [line, at + 1] as const)
  const earlier = lines.filter(([line]) => line.endsWith('-j PANEL-MASQ'))
  const chains = ['PANEL-MASQ', 'PANEL-SOURCE'].filter((chain) => saved.includes(`:${chain} `))
  const text = [
    '*nat',
    ...earlier.map(([line, at]) => `-R PANEL-SNAT ${at} ${line.replace(/PANEL-MASQ$/, 'MASQUERADE')}`),
    ...chains.map((chain) => `-F ${chain}`),
    ...chains.map((chain) => `-X ${chain}`),
    'COMMIT',
  ]
  run(`${tool}-restore`, ['--noflush'], `${text.join('\n')}\n`)
}
