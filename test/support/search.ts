import { vi } from 'vitest'
import type { TestApp } from './app.ts'

/** Makes fields of a class searchable with these types, and waits until the index is ready. */
export async function makeSearched(
  app: TestApp,
  className: string,
  fields: Readonly<Record<string, string | object>>,
  options: object = {},
): Promise<void> {
  const declared = Object.entries(fields).map(([name, type]) => [
    name,
    { searchable: true, ...(typeof type === 'string' ? { type } : type) },
  ])
  const { status, body } = await app.admin('PATCH', `/classes/${className}`, {
    fields: Object.fromEntries(declared),
    ...options,
  })
  if (status !== 200) throw new Error(JSON.stringify(body))
  await indexed(app)
}

/** Waits until all writes are indexed. */
export async function indexed(app: TestApp): Promise<void> {
  await vi.waitFor(
    async () => {
      const { classes } = (await app.admin('GET', '/search')).body
      for (const { className, pending, building } of classes)
        if (pending > 0 || building) throw new Error(`The words of '${className}' are not indexed yet.`)
    },
    { timeout: 60_000, interval: 20 },
  )
}
