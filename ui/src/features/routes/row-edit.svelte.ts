// A rule as it is edited in its row of the list: name, ports and destination, in the values of its form.
import type { RouteView } from '@panel/shared/api/routes/answers.ts'
import { RowEdit } from '../../components/list/row-edit.svelte.ts'
import { t } from '../../core/i18n.svelte.ts'
import { formatPorts, formatTarget, parsePorts, parseTarget } from './cell-text.ts'
import type { RouteValues } from './draft.ts'
import { RuleForm } from './rule-form.svelte.ts'

const CELL_FIELDS = { name: 'route_rule_title', listens: 'bind_port', relays: 'destinations' } as const
export type CellColumn = keyof typeof CELL_FIELDS

/** Several destinations are more than a cell can say. */
export const fitsCell = ({ destinations }: RouteValues): boolean => destinations.length === 1

export class RuleRowEdit extends RowEdit<RouteValues, CellColumn, RouteView> {
  readonly cellFields = CELL_FIELDS
  readonly rule: RuleForm

  constructor(route: RouteView, onplan: () => Promise<unknown>, onend: () => void) {
    super(onend)
    this.rule = new RuleForm(route, {
      onplan,
      page: `/routes/${route.route_rule_id}/edit`,
      check: () => this.check(),
      fieldOf: (name) => (name.startsWith('destinations.') ? 'destinations' : name.replace(/_range_end$/, '')),
    })
  }

  get form(): RuleForm['form'] {
    return this.rule.form
  }
  get isPlanned(): boolean {
    return this.rule.plan !== null
  }
  get isSaving(): boolean {
    return this.rule.isSaving
  }

  protected written(column: CellColumn): string {
    const { values } = this.form
    const [target] = values.destinations
    if (column === 'name') return values.route_rule_title
    return column === 'listens' ? formatPorts(values) : target ? formatTarget(target) : ''
  }

  protected take(column: CellColumn, text: string): boolean {
    const { values } = this.form
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

  protected settled(column: CellColumn, text: string): string | null {
    const ports = column === 'listens' ? parsePorts(text) : null
    const target = column === 'relays' ? parseTarget(text) : null
    return ports ? formatPorts(ports) : target ? formatTarget(target) : null
  }

  protected complaint(column: CellColumn): string {
    return t(column === 'listens' ? 'changes.no_port' : 'changes.no_target')
  }

  follow(route: RouteView): void {
    this.rule.follow(route)
  }

  protected async send(): Promise<boolean> {
    return (await this.rule.saveRule(undefined)) !== null
  }

  protected discard(): void {
    this.rule.discard()
  }
}
