import { expect, it } from 'vitest'
import { checkMemory, checkNode, checkOpenFiles } from './machine.ts'

const MB = 1024 ** 2

it.each([
  ['18.20.4', 'error', 'node-old'],
  ['20.18.9', 'error', 'node-old'],
  ['20.19.0', 'ok', 'node'],
  ['24.0.1', 'ok', 'node'],
])('Node %s: %s', (version, level, id) => {
  expect(checkNode(version)).toMatchObject({ level, id })
})

it.each([
  [256 * MB, true, 'memory-little'],
  [384 * MB, true, 'memory'],
  // The database has its own machine.
  [256 * MB, false, 'memory'],
])('memory of %d bytes, with its own database: %s', (bytes, isEmbedded, id) => {
  expect(checkMemory(bytes, isEmbedded)).toMatchObject([{ id }])
})

it.each([
  [1024, ['open-files-few']],
  [4096, ['open-files']],
  [null, []],
])('a limit of %s open files', (limit, ids) => {
  expect(checkOpenFiles(limit).map(({ id }) => id)).toEqual(ids)
})
