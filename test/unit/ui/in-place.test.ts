// What is typed into a cell of the list of rules, and what of a form was changed.
import assert from 'node:assert/strict'
import { changedValues } from '../../../ui/src/core/changed-values.ts'
import { formatPorts, formatTarget, parsePorts, parseTarget } from '../../../ui/src/features/routes/cell-text.ts'

describe('The ports in a cell', () => {
  it('are one or a range, and are written as they were read', () => {
    for (const [text, bind_port, bind_port_range_end] of [
      ['443', 443, null],
      [' 443 ', 443, null],
      ['5000-5999', 5000, 5999],
      ['5000 - 5999', 5000, 5999],
      ['0', 0, null],
      ['70000', 70_000, null],
    ] as const) {
      assert.deepEqual(parsePorts(text), { bind_port, bind_port_range_end }, text)
      assert.equal(formatPorts({ bind_port, bind_port_range_end }), text.replaceAll(' ', ''))
    }
  })

  it('are nothing else', () => {
    for (const text of ['', '-', '443,80', '443-', '-443', '1.5', '1e3', '443/tcp', 'https', '123456', '1-2-3'])
      assert.equal(parsePorts(text), null, text)
  })
})

describe('The destination in a cell', () => {
  it('is an address or a name with its ports, or without', () => {
    for (const [text, address, port, port_range_end] of [
      ['10.9.0.2:8443', '10.9.0.2', 8443, null],
      ['10.9.0.2:5000-5999', '10.9.0.2', 5000, 5999],
      ['10.9.0.2', '10.9.0.2', null, null],
      ['[2001:db8::1]:53', '2001:db8::1', 53, null],
      ['2001:db8::1', '2001:db8::1', null, null],
      ['::', '::', null, null],
      ['web.example:80', 'web.example', 80, null],
    ] as const) {
      assert.deepEqual(parseTarget(text), { address, port, port_range_end }, text)
      assert.equal(formatTarget({ address, port, port_range_end }), text)
    }
    assert.deepEqual(parseTarget(' [2001:db8::1] '), { address: '2001:db8::1', port: null, port_range_end: null })
  })

  it('is nothing else', () => {
    for (const text of ['', ':80', '10.9.0.2:', '10.9.0.2:80-', 'two words:80', '[::1', '::1]:80', '10.9.0.2:x'])
      assert.equal(parseTarget(text), null, text)
  })
})

describe('What a form changes', () => {
  it('is the values that differ, each as it was and will be', () => {
    const base = { port: 443, name: 'Web', tags: '', is_enabled: true }
    assert.deepEqual(changedValues(base, base), [])
    assert.deepEqual(changedValues(base, { ...base, port: 8443, is_enabled: false }), [
      { name: 'port', before: 443, after: 8443 },
      { name: 'is_enabled', before: true, after: false },
    ])
  })

  it('is the items of a list that differ alone, unless it is their order', () => {
    const [one, two, three] = [{ port: 1 }, { port: 2 }, { port: 3 }]
    assert.deepEqual(changedValues({ list: [one, two] }, { list: [one, three] }), [
      { name: 'list', before: [two], after: [three] },
    ])
    assert.deepEqual(changedValues({ list: [one] }, { list: [one, two] }), [{ name: 'list', before: [], after: [two] }])
    assert.deepEqual(changedValues({ list: [one, two] }, { list: [two, one] }), [
      { name: 'list', before: [one, two], after: [two, one] },
    ])
  })
})
