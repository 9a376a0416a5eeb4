// Kinds of settings. One definition gives the default, the check, the type and the schema for clients (decisions.md,
// section 8).
import type { SettingConstraints, SettingType } from '@panel/shared/api/settings.ts'
import { message, type Message } from '@panel/shared/messages/message.ts'
import { withNull } from '@panel/shared/api/base/fields.ts'
import { integer, integerEnum, nullable, stringEnum, Type, type TSchema } from '@panel/shared/schema.ts'

export interface Definition<T> {
  readonly type: SettingType
  readonly schema: TSchema
  readonly default: T
  /** What it does and when, as a sentence for the operator. */
  readonly description: string
  /** What a valid value would be, as a sentence for the operator. */
  readonly refusal: Message
  readonly unit: Unit
  readonly constraints: Partial<SettingConstraints>
}

type Unit = '' | 'bytes' | 'percent' | 'milliseconds' | 'seconds' | 'minutes' | 'days'

export function bool(byDefault: boolean, description: string): Definition<boolean> {
  return {
    type: 'bool',
    schema: Type.Boolean(),
    default: byDefault,
    description,
    refusal: message('setting.flag'),
    unit: '',
    constraints: {},
  }
}

interface Bounds {
  readonly min: number
  readonly max: number
  readonly unit?: Unit
}

export function int(byDefault: number, { min, max, unit = '' }: Bounds, description: string): Definition<number> {
  return {
    type: 'int',
    schema: integer(min, max),
    default: byDefault,
    description,
    refusal: message('setting.whole', { min, max }),
    unit,
    constraints: { min, max },
  }
}

export function float(byDefault: number, { min, max, unit = '' }: Bounds, description: string): Definition<number> {
  return {
    type: 'float',
    schema: Type.Number({ minimum: min, maximum: max }),
    default: byDefault,
    description,
    refusal: message('setting.number', { min, max }),
    unit,
    constraints: { min, max },
  }
}

export function text(byDefault: string, pattern: string, refusal: Message, description: string): Definition<string> {
  return {
    type: 'string',
    schema: Type.String({ pattern }),
    default: byDefault,
    description,
    refusal,
    unit: '',
    constraints: { pattern },
  }
}

export function oneOf<const V extends readonly string[]>(
  values: V,
  byDefault: V[number],
  description: string,
): Definition<V[number]> {
  return {
    type: 'enum',
    schema: stringEnum(values),
    default: byDefault,
    description,
    refusal: message('setting.choice', { options: values.join(', ') }),
    unit: '',
    constraints: { enum_values: [...values] },
  }
}

/** A number that stands for a name, as in the field whose default it is. */
export function lookup(
  lookup_table: string,
  names: Readonly<Record<string, number>>,
  byDefault: number,
  description: string,
): Definition<number> {
  const options = Object.entries(names).map(([label, value]) => ({ value, label }))
  return {
    type: 'lookup',
    schema: integerEnum(Object.values(names)),
    default: byDefault,
    description,
    refusal: message('setting.options', {
      options: options.map(({ value, label }) => `${value} (${label})`).join(' or '),
    }),
    unit: '',
    constraints: { lookup_table, options },
  }
}

export interface Shape {
  readonly schema: TSchema
  /** The JSON type, in words. */
  readonly json_shape: string
  readonly refusal: Message
}

export function json<T>(byDefault: T, { schema, json_shape, refusal }: Shape, description: string): Definition<T> {
  return {
    type: 'json',
    schema,
    default: byDefault,
    description,
    refusal,
    unit: '',
    constraints: { json_shape },
  }
}

/** A setting that may be null, which is its default. */
export function orNull<T>(definition: Definition<T>): Definition<T | null> {
  return {
    ...definition,
    schema: nullable(definition.schema),
    default: null,
    refusal: withNull(definition.refusal),
    constraints: { ...definition.constraints, nullable: true },
  }
}
