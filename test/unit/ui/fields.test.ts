// The page has a place for every field of a tunnel, so that an operator never needs another client.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UpdateRouteBody } from '@panel/shared/api/routes/bodies.ts'
import { CreateTunnelBody, UpdateTunnelBody } from '@panel/shared/api/tunnels/bodies.ts'
import { FIELDS as TUNNEL_FORM, pickOptions, NO_OPTIONS } from '../../../ui/src/features/tunnels/options.ts'
import { requestBody, EMPTY } from '../../../ui/src/features/tunnels/request.ts'
import { emptyRoute, requestBody as ruleRequest } from '../../../ui/src/features/routes/draft.ts'
import { FIELDS } from '../../../ui/src/features/routes/fields.ts'
import type { FormField } from '../../../ui/src/components/form/fields.ts'

/** The fields that the operator enters elsewhere. */
const OTHERWISE: Readonly<Record<string, string>> = {
  tunnel_side_id: 'the first step of the wizard says which side this is',
  remote_hostname: 'in the field of the address of the other server',
  ikey: 'one key for both directions, which the form of a stored tunnel has apart',
  okey: 'as ikey',
  addresses: "the pool gives them, and the tunnel's own page changes them",
  is_enabled: "a button of the tunnel's own page",
  note: 'in the form of a stored tunnel',
  tags: 'in the form of a stored tunnel',
  idempotency_key: "the page's own",
  i_understand_i_may_lose_access: 'asked for where it is needed',
}

describe('The wizard of a tunnel', () => {
  it("has a field for everything that a tunnel's request can hold, but for what is entered elsewhere", () => {
    const fields = Object.keys(CreateTunnelBody.properties)
    assert.deepEqual(fields.filter((name) => !(name in EMPTY)).sort(), Object.keys(OTHERWISE).sort())
    assert.deepEqual(
      Object.keys(NO_OPTIONS).filter((name) => !(name in UpdateTunnelBody.properties)),
      [],
    )
  })

  it('sends what was entered, "no" too, and leaves the rest to the panel', () => {
    const ends = { local_endpoint: '192.0.2.1', remote_endpoint: ' 192.0.2.2 ' }
    assert.deepEqual(requestBody({ ...EMPTY, ...ends }, null), {
      local_endpoint: '192.0.2.1',
      remote_endpoint: '192.0.2.2',
    })
    const body = requestBody(
      { ...EMPTY, ...ends, has_input_checksum: false, monitor_target: ' 192.0.2.9 ', flow_label: 0, tunnel_number: 0 },
      null,
    )
    assert.deepEqual(
      [body.has_input_checksum, body.monitor_target, body.flow_label, body.tunnel_number, 'force' in body],
      [false, '192.0.2.9', 0, 0, false],
    )
    assert.deepEqual(pickOptions(NO_OPTIONS), NO_OPTIONS)
  })

  it('sends null where the address of this server is left to the route', () => {
    const ends = { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' }
    assert.deepEqual(requestBody({ ...EMPTY, ...ends, is_local_endpoint_automatic: true }, null), {
      local_endpoint: null,
      remote_endpoint: '192.0.2.2',
    })
  })

  it('sends a name of the other server as a name, and an address as an address', () => {
    const sent = (remote_endpoint: string, decoded: CreateTunnelBody | null = null): unknown[] => {
      const body = requestBody({ ...EMPTY, local_endpoint: '192.0.2.1', remote_endpoint }, decoded)
      return [body.remote_endpoint, body.remote_hostname]
    }
    const code = { local_endpoint: '192.0.2.1', remote_endpoint: '192.0.2.2' }
    assert.deepEqual(sent(' far.example.net '), [undefined, 'far.example.net'])
    assert.deepEqual(sent('far.example.net', code), [undefined, 'far.example.net'])
    assert.deepEqual(sent('2001:db8::1'), ['2001:db8::1', undefined])
    assert.deepEqual(sent('nonsense'), ['nonsense', undefined])
  })
})

/** These components of a feature, or all of them, as text. */
function componentsOf(feature: string, only: readonly string[]): string {
  const folder = fileURLToPath(new URL(`../../../ui/src/features/${feature}`, import.meta.url))
  const names = only.length > 0 ? only : readdirSync(folder).filter((name) => name.endsWith('.svelte'))
  return names.map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('\n')
}

/** Whether a component of the feature draws a field: by its list, or as an input of its own. */
function drawnIn(feature: string, fields: readonly FormField[], only: string[] = []): (name: string) => boolean {
  const pages = componentsOf(feature, only)
  const groups = [...pages.matchAll(/inGroup\(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(/[', ]+/))
  const listed = fields.filter(({ group }) => groups.includes(group)).map(({ name }) => name)
  return (name) => listed.includes(name) || pages.includes(`name="${name}"`) || pages.includes(`form.values.${name}`)
}

describe('The form of a stored tunnel', () => {
  const ELSEWHERE: Readonly<Record<string, string>> = {
    tunnel_type_id: 'chosen once, as the other server has it',
    tunnel_side_id: 'as tunnel_type_id',
    tunnel_number: 'as tunnel_type_id',
    remote_hostname: 'in the field of the address of the other server',
    address_pool_id: 'chosen once: the addresses stay',
    force: 'offered with the addresses, on their own page',
    addresses: "the tunnel's own page changes them",
    is_enabled: "a button of the tunnel's own page",
    confirm_recreate: 'requested where the link is recreated',
    i_understand_i_may_lose_access: 'requested where it is needed',
  }

  it('has an input for every field that can be changed, but for those that are elsewhere', () => {
    const drawn = drawnIn('tunnels', TUNNEL_FORM, ['EditForm.svelte', 'LocalEndpoint.svelte'])
    const hidden = Object.keys(UpdateTunnelBody.properties).filter((name) => !drawn(name))
    assert.deepEqual(
      hidden.filter((name) => !(name in ELSEWHERE)),
      [],
    )
  })
})

describe('The form of a rule', () => {
  /** Fields that the operator enters elsewhere, or the reason why never. */
  const ELSEWHERE: Readonly<Record<string, string>> = {
    address_family_id: 'follows from the addresses',
    destination_address: 'the first of the destinations',
    destination_port: 'as destination_address',
    destination_port_range_end: 'as destination_address',
    check: 'in the form of the checks',
    sort_order: 'on the page of the order',
    drop_connections: 'requested where a destination leaves',
    force: 'offered once it is needed',
    i_understand_i_may_lose_access: 'has no effect on rules',
  }

  it('has an input for every field that can be changed, but for those that are elsewhere', () => {
    const drawn = drawnIn('routes', FIELDS)
    const hidden = Object.keys(UpdateRouteBody.properties).filter((name) => !drawn(name))
    assert.deepEqual(
      hidden.filter((name) => !(name in ELSEWHERE)),
      [],
    )
    assert.deepEqual(
      Object.keys(emptyRoute()).filter((name) => !drawn(name) && name !== 'force'),
      [],
    )
  })

  it('sends what it was filled with, empty as null where that is a value, and what is not shown as null', () => {
    const filled = {
      ...emptyRoute(),
      bind_port: 443,
      bind_interface: ' ',
      tags: ' a, b ',
      description: ' x ',
      snat_address: '192.0.2.1',
    }
    const sent = ruleRequest(filled, true)
    assert.deepEqual(
      [sent.bind_interface, sent.tags, sent.description, sent.snat_address],
      [null, ['a', 'b'], ' x ', null],
    )
    assert.equal(ruleRequest({ ...filled, nat_mode_id: 20 }, true).snat_address, '192.0.2.1')
  })
})
