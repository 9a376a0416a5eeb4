// What is read again and again is made again only where it has changed.
import assert from 'node:assert/strict'
import { decodedOnce } from '@panel/root-helper/netlink/decoded-once.ts'
import { madeOnce } from '@panel/shared/made-once.ts'
import type { Message } from '@panel/root-helper/netlink/message.ts'

const message = (text: string, type = 16): Message => ({
  type,
  flags: 0,
  sequence: 1,
  port: 0,
  body: Buffer.from(text),
})

describe('A dump that is read again', () => {
  const decode = decodedOnce(({ type, body }) => ({ type, text: body.toString() }))
  const first = decode([message('one'), message('two')])

  it('has the very same values if the bytes are the same', () => {
    const again = decode([message('one'), message('two')])
    assert.deepEqual([again[0] === first[0], again[1] === first[1]], [true, true])
  })

  it('has another value where a byte or the type is another, and where one has gone or come', () => {
    assert.deepEqual(decode([message('one'), message('twO')])[1], { type: 16, text: 'twO' })
    assert.deepEqual(decode([message('one', 17), message('twO')])[0], { type: 17, text: 'one' })
    assert.deepEqual(decode([message('twO')]), [{ type: 16, text: 'twO' }])
    assert.deepEqual(decode([message('twO'), message('one')])[1], { type: 16, text: 'one' })
    assert.deepEqual(decode([]), [])
  })

  it('keeps nothing of the bytes that it was cut from', () => {
    const bytes = message('three')
    const [value] = decode([bytes])
    bytes.body.write('THREE')
    assert.notEqual(decode([bytes])[0], value)
    assert.deepEqual(value, { type: 16, text: 'three' })
  })
})

describe('What is made under a name', () => {
  it('is made again where any of its inputs is another, and only then', () => {
    const made = madeOnce<object>()
    const [a, b] = [{}, {}]
    let at = 0
    const make = (inputs: readonly unknown[], name = 'gre-a-1'): object => made(name, inputs, () => ({ at: (at += 1) }))
    const first = make([a, 'x'])
    assert.equal(make([a, 'x']), first)
    assert.notEqual(make([a, 'x'], 'gre-a-2'), first)
    for (const inputs of [[b, 'x'], [a, 'y'], [a], [a, 'x', null], []]) assert.notEqual(make(inputs), first)
  })

  it('stays the very value where what is made of other inputs is the same', () => {
    const made = madeOnce<object>()
    const make = (input: object, mtu: number): object => made('gre-a-1', [input], () => ({ mtu }))
    const first = make({}, 1472)
    assert.equal(make({}, 1472), first)
    assert.notEqual(make({}, 1400), first)
  })
})
