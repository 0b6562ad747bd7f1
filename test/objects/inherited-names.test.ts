import { describe, expect, it } from 'vitest'
import { makeApp } from '../support/app.ts'

/** Names of members that every JavaScript object inherits, and that fields and classes can have. */
const NAMES = [
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
]

const app = await makeApp()
const client = (method: string, path: string, body?: object) =>
  app.request(method, path, body === undefined ? {} : { body })

describe('a field or class named like an inherited member', () => {
  it.each(NAMES)('is like any other: %s', async (name) => {
    const declared = await app.admin('POST', '/classes', {
      className: name,
      fields: { [name]: { type: 'String', default: 'usual' }, name: { type: 'String' }, text: { type: 'String' } },
    })
    expect(declared.status, JSON.stringify(declared.body)).toBeLessThan(300)
    const made = await client('POST', `/1.1/classes/${name}`, { text: 'a' })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const path = `/1.1/classes/${name}/${made.body.objectId}`
    expect((await client('GET', path)).body).toMatchObject({ [name]: 'usual', text: 'a' })
    expect(
      (await client('GET', `/1.1/classes/${name}?where=${JSON.stringify({ [name]: 'other' })}`)).body.results,
    ).toEqual([])
    expect((await client('PUT', path, { [name]: 'other' })).status).toBe(200)
    expect((await client('GET', `/1.1/classes/${name}?keys=${name}&order=${name}`)).body.results).toMatchObject([
      { [name]: 'other' },
    ])
    expect((await app.admin('PATCH', `/classes/${name}`, { fields: { name: { type: 'Any' } } })).status).toBe(200)
  })

  it.each(NAMES)('is reported missing when required: %s', async (name) => {
    const className = `Required_${name}`
    await app.admin('POST', '/classes', { className, fields: { [name]: { type: 'String', required: true } } })
    const refused = await client('POST', `/1.1/classes/${className}`, { text: 'a' })
    expect([refused.status, refused.body.code]).toEqual([400, 113])
    expect((await client('POST', `/1.1/classes/${className}`, { [name]: 'a' })).status).toBe(201)
  })
})
