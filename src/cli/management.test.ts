import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { connect } from './management.ts'

it.each([
  '/admin/apps/a/classes/..',
  '/admin/apps/a/classes/../indexes',
  '/admin/apps/../administrators?from=a',
  '/admin/apps/a/classes/%2E%2e',
  '/admin/apps/a/classes/.',
])('rejects %s, which would name another resource as a URL', async (path) => {
  const requested = vi.fn((_request, response) => response.end('{}'))
  const server = createServer(requested).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await vi.waitFor(() => expect(server.listening).toBe(true))
  vi.stubEnv('HOMEPORT_ADMIN_TOKEN', 'a-token-of-the-administrator')
  onTestFinished(() => void vi.unstubAllEnvs())
  const management = connect({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  await expect(management.request('PATCH', path, {})).rejects.toThrow(/is not a valid name/)
  await expect(management.download(path, async () => null)).rejects.toThrow(/is not a valid name/)
  expect(requested).not.toHaveBeenCalled()
  expect(await management.request('GET', '/admin/apps/a/classes/..a?where=/../')).toEqual({})
})
