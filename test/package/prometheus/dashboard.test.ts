// The dashboard of the package beside the types that Grafana itself publishes for dashboards and for each kind of panel.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { diagnosticsOf, textOf } from '../../support/compiler.ts'
import { PROMETHEUS_FILES } from './watched.ts'

const JSON_TEXT = readFileSync(join(PROMETHEUS_FILES, 'grafana-dashboard.json'), 'utf8')
const SOURCE = join(import.meta.dirname, 'dashboard-checked.ts')

const panelTypes = (module: string): string => `@grafana/schema/dist/esm/raw/composable/${module}_types.gen`

/** What is absent Grafana fills in, and where its types have an enum, a document has the value. */
const TYPES = `
import type { Dashboard, Panel } from '@grafana/schema'
import type { Options as Stat } from '${panelTypes('stat/panelcfg/x/StatPanelCfg')}'
import type { Options as Lines, FieldConfig as LinesField } from '${panelTypes('timeseries/panelcfg/x/TimeSeriesPanelCfg')}'
import type { Options as Table, FieldConfig as TableField } from '${panelTypes('table/panelcfg/x/TablePanelCfg')}'
type Written<T> = unknown extends T ? T
  : T extends string ? \`\${T}\`
  : T extends number | boolean | null | undefined ? T
  : { [K in keyof T]?: Written<T[K]> }
type Of<Kind extends string, P> = Omit<Written<P>, 'type'> & { type: Kind }
type AnyPanel = Of<'stat', Omit<Panel<{}, {}>, 'options'> & { options: Stat }>
  | Of<'timeseries', Omit<Panel<{}, LinesField>, 'options'> & { options: Lines }>
  | Of<'table', Omit<Panel<{}, TableField>, 'options'> & { options: Table }>
type Document = Written<Omit<Dashboard, 'panels'>> & { panels: AnyPanel[] }
`

/** What the compiler finds wrong with a dashboard. */
function complaints(json: string): string[] {
  const text = `${TYPES}\nexport const dashboard: Document = ${json}\n`
  const found = diagnosticsOf(new Map([[SOURCE, text]]), {
    strict: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  })
  return (found.get(SOURCE) ?? []).map(textOf)
}

describe('The dashboard', function () {
  it('is what Grafana takes, by the types that it publishes', () => {
    assert.deepEqual(complaints(JSON_TEXT), [])
  })

  for (const [what, from, to] of [
    ['an option that its panel does not have', '"colorMode"', '"colourMode"'],
    ['a value that an option does not take', '"colorMode": "background"', '"colorMode": "behind"'],
    ['a kind of panel that is not there', '"type": "timeseries"', '"type": "graph"'],
    ['a field that no dashboard has', '"schemaVersion"', '"schema_version"'],
  ] as const)
    it(`would not be with ${what}`, () => {
      assert.ok(JSON_TEXT.includes(from), from)
      assert.notDeepEqual(complaints(JSON_TEXT.replace(from, to)), [])
    })
})
