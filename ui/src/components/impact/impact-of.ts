// More of a confirmation: what the request that it asks about would interrupt.
import type { Component } from 'svelte'
import type { ImpactBody } from '@panel/shared/api/impact/impact.ts'
import ImpactOf from './ImpactOf.svelte'

export const impactOf =
  (method: ImpactBody['method'], path: string, body: object = {}): Component =>
  (internals, props) =>
    ImpactOf(internals, { ...props, asked: { method, path, body: { ...body } } })
