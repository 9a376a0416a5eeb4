// A pairing code as text: what goes in comes out, and whatever happened to it on the way is noticed (decisions.md, R26,
// R28).
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { crc32, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import {
  decodePairingCode,
  encodePairingCode,
  MAX_EXPANDED_BYTES,
  PairingCodeError,
} from '@panel/web-daemon/features/tunnels/pairing/code.ts'
import { makeContent, readContent } from '@panel/web-daemon/features/tunnels/pairing/content.ts'
import { pool, tunnelRecord } from './content.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const random = tunnelRecord.map((record) => encodePairingCode(makeContent(record, pool)))

/** Any bytes in the dress of a code, its checksum right. */
const dressed = (json: string | Buffer, level = 6): string => {
  const checksum = Buffer.alloc(4)
  checksum.writeUInt32BE(crc32(json))
  return `v1.${Buffer.concat([checksum, gzipSync(json, { level })]).toString('base64url')}`
}

const reasonFor = (code: string): string => {
  try {
    readContent(decodePairingCode(code))
  } catch (refused) {
    if (refused instanceof PairingCodeError) return refused.message
    throw refused
  }
  return assert.fail(`${code} was taken`)
}

describe('A pairing code', () => {
  it('gives back what was put into it, on one line without blanks, for any tunnel', () => {
    fc.assert(
      fc.property(tunnelRecord, (record) => {
        const content = makeContent(record, pool)
        const code = encodePairingCode(content)
        assert.match(code, /^v1\.[A-Za-z0-9_-]+$/)
        assert.deepEqual(readContent(decodePairingCode(code)), content)
        assert.deepEqual(readContent(decodePairingCode(`  ${code}\n`)), content)
      }),
      { numRuns: 300 },
    )
  })

  it('has at most 400 characters for an ordinary tunnel, and for one with two addresses over IPv6', () => {
    const [record] = fc.sample(tunnelRecord, 1)
    assert(record)
    const ordinary = {
      ...record,
      tunnel_type_id: 10,
      interface_name: 'gre-a-117',
      tunnel_number: 117,
      local_endpoint: '198.51.100.117',
      remote_endpoint: '203.0.113.231',
      ttl: 255,
      tos: 'inherit',
      mtu: 1472,
      ikey: 3_735_928_559,
      okey: 3_735_928_559,
      hop_limit: null,
      traffic_class: null,
      encap_limit: null,
      is_name_templated: true,
    }
    const address = {
      tunnel_address_id: 1,
      address: '172.17.117.1',
      peer_address: '172.17.117.2',
      prefix_length: 30,
      address_family_id: 10,
      is_primary: true,
      sort_order: 0,
    }
    const second = {
      ...address,
      address: 'fd3e:7c51:9a20:117::1',
      peer_address: 'fd3e:7c51:9a20:117::2',
      prefix_length: 126,
      is_primary: false,
    }
    for (const more of [
      { addresses: [address] },
      {
        addresses: [address, second],
        tunnel_type_id: 30,
        local_endpoint: '2001:db8:a1b2:c3d4::17',
        remote_endpoint: '2001:db8:e5f6:7890::42',
      },
    ]) {
      for (const flags of [true, false]) {
        const all = {
          has_input_checksum: flags,
          has_output_checksum: flags,
          has_input_sequence: flags,
          has_output_sequence: flags,
          is_path_mtu_discovery: flags,
        }
        const code = encodePairingCode(makeContent({ ...ordinary, ...more, ...all }, pool))
        assert(code.length <= 400, `${code.length}: ${code}`)
      }
    }
  })

  it('of which any single character was changed to any other is refused', async function () {
    for (const code of fc.sample(random, 2)) {
      for (let at = 0; at < code.length; at++) {
        // zlib lets go of what it refused only when the loop of events turns.
        await setImmediate()
        for (const other of `${ALPHABET}+/=. ä`) {
          if (other !== code[at]) reasonFor(code.slice(0, at) + other + code.slice(at + 1))
        }
      }
    }
  })

  it('of which two neighbours changed places, or a few characters any which way, is refused', () => {
    fc.assert(
      fc.property(
        random,
        fc.nat(),
        fc.array(fc.tuple(fc.nat(), fc.constantFrom(...ALPHABET)), { minLength: 1, maxLength: 3 }),
        (code, place, changes) => {
          const at = place % (code.length - 1)
          const swapped = code.slice(0, at) + code[at + 1] + code[at] + code.slice(at + 2)
          if (swapped !== code) reasonFor(swapped)
          const characters = [...code]
          for (const [where, character] of changes) characters[where % code.length] = character
          if (characters.join('') !== code) reasonFor(characters.join(''))
        },
      ),
      { numRuns: 500 },
    )
  })

  it('that is cut off anywhere is refused', () => {
    for (const code of fc.sample(random, 5)) {
      for (let length = 0; length < code.length; length++) reasonFor(code.slice(0, length))
    }
  })

  it('with anything behind its end is refused, padding and further members of gzip included', () => {
    const json = JSON.stringify({ v: 1 })
    const checksum = Buffer.alloc(4)
    checksum.writeUInt32BE(crc32(json))
    for (const behind of [
      Buffer.alloc(1),
      Buffer.alloc(3),
      Buffer.from('x'),
      Buffer.from('garbage'),
      Buffer.from([0, 0, json.length, 0, 0, 0]),
      gzipSync(''),
      gzipSync(json),
    ]) {
      assert.match(
        reasonFor(`v1.${Buffer.concat([checksum, gzipSync(json), behind]).toString('base64url')}`),
        /behind|damaged|cut off/,
      )
    }
    const [code = ''] = fc.sample(random, 1)
    for (const behind of ['A', 'AA', 'AAA', 'AAAA', '=', '.', ` ${code}`, code]) reasonFor(code + behind)
  })

  it('says what is wrong with it, each thing in its own words', () => {
    const [record] = fc.sample(tunnelRecord, 1)
    assert(record)
    const content = makeContent(record, pool)
    const wrong: [RegExp, string][] = [
      [/not a pairing code/, 'hello'],
      [/version 2/, encodePairingCode(content).replace('v1', 'v2')],
      [/version 2/, dressed(JSON.stringify({ ...content, v: 2 }))],
      [/version undefined/, dressed('{}')],
      [/characters that do not belong/, `${encodePairingCode(content).slice(0, -2)}*%`],
      [/cut off/, 'v1.AAAA'],
      [/checksum/, `v1.AAAA${encodePairingCode(content).slice(7)}`],
      [/unpacked/, `v1.${Buffer.alloc(40).toString('base64url')}`],
      [/65536 bytes/, dressed(Buffer.alloc(MAX_EXPANDED_BYTES + 1, ' '))],
      [/something else than a tunnel/, dressed('not json')],
      [/something else than a tunnel/, dressed(Buffer.from([0xff, 0xfe]))],
      [/holds no tunnel/, dressed('[]')],
      [/the field type must be one of 10, 20, 30, 40/, dressed(JSON.stringify({ ...content, type: 50 }))],
      [/the field side must be one of 10, 20/, dressed(JSON.stringify({ ...content, side: 'C' }))],
      [/the field mtu/, dressed(JSON.stringify({ ...content, mtu: 65536 }))],
      [/the field addr.0.len/, dressed(JSON.stringify({ ...content, addr: [{ a: '10.0.0.1', b: '', len: 129 }] }))],
      [/"nowhere" is no IP address/, dressed(JSON.stringify({ ...content, local: 'nowhere' }))],
      [/"10.0.0" is no IP address/, dressed(JSON.stringify({ ...content, addr: [{ a: '10.0.0', b: '', len: 30 }] }))],
    ]
    for (const [expected, code] of wrong) assert.match(reasonFor(code), expected)
    assert.equal(new Set(wrong.map(([, code]) => reasonFor(code))).size, wrong.length - 1)
  })

  it('of a later build, with fields that this one does not know, and of another compressor is understood', () => {
    fc.assert(
      fc.property(tunnelRecord, fc.constantFrom(0, 6), (record, level) => {
        const content = { ...makeContent(record, pool), later: { more: [1, 2] }, encap: null }
        const {
          later,
          encap: _none,
          ...rest
        } = readContent(decodePairingCode(dressed(JSON.stringify(content), level))) as unknown as Record<
          string,
          unknown
        >
        assert.deepEqual(
          [rest, later],
          [
            Object.fromEntries(Object.entries(makeContent(record, pool)).filter(([name]) => name !== 'encap')),
            content.later,
          ],
        )
      }),
    )
  })

  it('can be any text at all without anything but a refusal coming of it', () => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((raw) => `v1.${Buffer.from(raw).toString('base64url')}`)
    const inside = fc.json().map((json) => dressed(json))
    const fields = fc
      .tuple(
        tunnelRecord,
        fc.constantFrom('type', 'side', 'local', 'addr', 'mtu', 'ttl', 'tos', 'num'),
        fc.jsonValue().filter((value) => typeof value === 'object' || typeof value === 'boolean'),
      )
      .map(([record, field, value]) => dressed(JSON.stringify({ ...makeContent(record, pool), [field]: value })))
    fc.assert(
      fc.property(fc.oneof(fc.string(), bytes, inside), (code) => void reasonFor(code)),
      { numRuns: 2000 },
    )
    fc.assert(
      fc.property(fields, (code) => {
        try {
          readContent(decodePairingCode(code))
        } catch (refused) {
          assert(refused instanceof PairingCodeError, String(refused))
        }
      }),
      { numRuns: 1000 },
    )
  })
})
