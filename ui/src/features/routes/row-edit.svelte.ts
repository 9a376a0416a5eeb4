// A rule as it is edited in its row of the list: name, ports and destination, in the values of its form.
import type { RouteView } from '@panel/shared/api/routes/answers.ts'
import { tick } from 'svelte'
import { t } from '../../core/i18n.svelte.ts'
import { formatPorts, formatTarget, parsePorts, parseTarget } from './cell-text.ts'
import type { RouteValues } from './draft.ts'
import { RuleForm } from './rule-form.svelte.ts'

/** The fields of the form that a cell can change, by the column. */
export const CELL_FIELDS = { name: 'route_rule_title', listens: 'bind_port', relays: 'destinations' } as const
export type CellColumn = keyof typeof CELL_FIELDS

/** Several destinations are more than a cell can say. */
export const fitsCell = ({ destinations }: RouteValues): boolean => destinations.length === 1

const textsOf = (values: RouteValues): Record<CellColumn, string> => {
  const [target] = values.destinations
  return {
    name: values.route_rule_title,
    listens: formatPorts(values),
    relays: target ? formatTarget(target) : '',
  }
}

export class RowEdit {
  readonly route: RouteView
  readonly rule: RuleForm
  /** The cell that the edit began in, and that the focus returns to. */
  cell: HTMLElement | null = null
  /** What stands in a cell that cannot be read; any other has what its values say. */
  #typed = $state.raw<Partial<Record<CellColumn, string>>>({})
  readonly #onend: () => void

  /** In an effect, which `onend` is to end. */
  constructor(route: RouteView, onplan: () => Promise<unknown>, onend: () => void) {
    this.route = route
    this.#onend = onend
    this.rule = new RuleForm(route, {
      onplan,
      page: `/routes/${route.route_rule_id}/edit`,
      check: () => this.#check(),
      fieldOf: (name) => (name.startsWith('destinations.') ? 'destinations' : name.replace(/_range_end$/, '')),
    })
  }

  get isDirty(): boolean {
    return this.rule.form.isDirty || Object.keys(this.#typed).length > 0
  }

  textOf(column: CellColumn): string {
    return this.#typed[column] ?? textsOf(this.rule.form.values)[column]
  }

  type(column: CellColumn, text: string): void {
    const { values } = this.rule.form
    const { [column]: _, ...others } = this.#typed
    this.#typed = this.#take(values, column, text) ? others : { ...others, [column]: text }
    this.rule.form.clearError(CELL_FIELDS[column])
  }

  /** Returns false if the text cannot be read. */
  #take(values: RouteValues, column: CellColumn, text: string): boolean {
    if (column === 'name') values.route_rule_title = text
    else if (column === 'listens') {
      const ports = parsePorts(text)
      if (!ports || formatPorts(ports) !== text) return false
      Object.assign(values, ports)
    } else {
      const target = parseTarget(text)
      if (!target || formatTarget(target) !== text) return false
      Object.assign(values.destinations[0] ?? {}, target)
    }
    return true
  }

  #check(): Record<string, string> {
    return Object.fromEntries(
      Object.keys(this.#typed).map((column) =>
        column === 'listens'
          ? [CELL_FIELDS.listens, t('changes.no_port')]
          : [CELL_FIELDS.relays, t('changes.no_target')],
      ),
    )
  }

  /** Takes what is written otherwise than it is shown. */
  #settle(): void {
    for (const [column, text] of Object.entries(this.#typed) as [CellColumn, string][]) {
      const ports = column === 'listens' ? parsePorts(text) : null
      const target = column === 'relays' ? parseTarget(text) : null
      const written = ports ? formatPorts(ports) : target ? formatTarget(target) : null
      if (written !== null) this.type(column, written)
    }
  }

  /** Plans what was typed; without a change there is nothing to plan. */
  async review(): Promise<void> {
    this.#settle()
    if (!this.isDirty) return this.cancel()
    await this.rule.form.submit()
    await tick()
    this.cell?.closest('tr')?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }

  async save(): Promise<void> {
    if (await this.rule.save(undefined)) this.#end()
  }

  cancel(): void {
    this.rule.discard()
    this.#end()
  }

  #end(): void {
    this.#onend()
    void tick().then(() => this.cell?.querySelector<HTMLElement>('a, button')?.focus())
  }
}
