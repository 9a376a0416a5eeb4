// A link that is made again has the sysctls that the one before it had: the kernel deletes them with the link. Those of a
// link that something else has deleted are known from the last look (decisions.md, T26).
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import type { LinkConfig } from '@panel/shared/tunnel/model.ts'
import type { TunnelFound } from '@panel/shared/tunnel/observed.ts'
import { isBetweenSameEnds } from '@panel/shared/tunnel/same-ends.ts'
import type { Kernel, LinkSettings } from '../../kernel/facilities.ts'

export class CarriedSysctls {
  readonly #kernel: Pick<Kernel, 'links'>
  /** The values when the change first deleted a link of this name: what it made since may lack some. */
  readonly #deleted = new Map<string, LinkSettings>()
  /** The values of our links at the last look, with the links that had them. */
  readonly #known = new Map<string, { readonly config: LinkConfig; readonly settings: LinkSettings }>()
  /** The name that was deleted last: the change may make the link under another one. */
  #last = ''

  constructor(kernel: Pick<Kernel, 'links'>) {
    this.#kernel = kernel
  }

  /** Looks at our links that are there; what is known of the others stays. */
  async look(tunnels: readonly Pick<TunnelFound, 'interface_name' | 'state' | 'is_ours'>[]): Promise<void> {
    for (const { interface_name, state, is_ours } of tunnels) {
      const config = state?.link?.config
      if (!is_ours || !config) continue
      const settings = await this.#kernel.links.settings(interface_name)
      if (settings.length === 0) this.#known.delete(interface_name)
      else this.#known.set(interface_name, { config, settings })
    }
  }

  /** Call it when a change begins: what an earlier one has deleted is another tunnel's. */
  forget(): void {
    this.#deleted.clear()
  }

  async across(step: TunnelStep, execute: () => Promise<void>): Promise<void> {
    const { kind, interface_name: name } = step
    if (kind === 'link_delete') {
      this.#last = name
      if (!this.#deleted.has(name)) this.#deleted.set(name, await this.#kernel.links.settings(name))
    }
    await execute()
    if (kind === 'link_delete') this.#known.delete(name)
    if (kind !== 'link_create') return
    const carried = this.#deleted.get(name) ?? this.#deleted.get(this.#last) ?? this.#vanished(name, step.config)
    if (carried.length > 0) await this.#kernel.links.changeSettings(name, carried)
  }
  /** Empty where the link between these ends is another one than that under the name. */
  #vanished(name: string, config: LinkConfig): LinkSettings {
    const known = this.#known.get(name)
    return known && isBetweenSameEnds(known.config, config) ? known.settings : []
  }
}
