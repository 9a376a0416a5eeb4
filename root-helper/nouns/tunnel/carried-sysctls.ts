// A link that a change makes again has the sysctls that the one before it had: the kernel deletes them with the link.
import type { TunnelStep } from '@panel/shared/tunnel/step.ts'
import type { Kernel, LinkSettings } from '../../kernel/facilities.ts'

export class CarriedSysctls {
  readonly #kernel: Pick<Kernel, 'links'>
  /** The values when the change first deleted a link of this name: what it made since may lack some. */
  readonly #deleted = new Map<string, LinkSettings>()
  /** The name that was deleted last: the change may make the link under another one. */
  #last = ''

  constructor(kernel: Pick<Kernel, 'links'>) {
    this.#kernel = kernel
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
    const carried = kind === 'link_create' ? (this.#deleted.get(name) ?? this.#deleted.get(this.#last) ?? []) : []
    if (carried.length > 0) await this.#kernel.links.changeSettings(name, carried)
  }
}
