// The programs that the helper may start: its unit and dpkg's triggers name the same ones.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'

const DEBIAN = new URL('../../../packaging/debian/', import.meta.url)
const read = (name: string): string => readFileSync(new URL(name, DEBIAN), 'utf8')
const UNIT = read('tunnel-panel.tunnel-panel-helper.service')

const pathsOf = (setting: string): string[] =>
  [...UNIT.matchAll(new RegExp(`^${setting}=(.*)$`, 'gm'))].flatMap(([, paths = '']) => paths.split(' '))

describe('What the helper can execute', () => {
  it('is read-only', () => {
    assert.deepEqual(pathsOf('BindReadOnlyPaths'), pathsOf('ExecPaths'))
  })

  it('restarts it when dpkg brings or replaces a program that may come and go', () => {
    const optional = pathsOf('ExecPaths').filter((path) => path.startsWith('-'))
    const triggers = [...read('tunnel-panel.triggers').matchAll(/^interest-noawait (.*)$/gm)].map(
      ([, path]) => `-${path}`,
    )
    assert.ok(optional.includes('-/usr/sbin/nft'))
    assert.deepEqual(triggers, optional)
  })
})
