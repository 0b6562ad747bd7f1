import type { Attack } from '../attack.ts'

let row = ''
let heavyRow = ''

/** Attacks with many writes, or with writes that block others. */
export const WRITE_ATTACKS: readonly Attack[] = [
  {
    name: 'creates',
    what: 'objects made as fast as 256 connections carry, singly and in batches',
    run: (attacker) => {
      const requests = Array.from({ length: 200 }, (_, n) => ({
        method: 'POST',
        path: '/1.1/classes/Flood',
        body: { n, text: 'x'.repeat(200) },
      }))
      return attacker.flood(256, (n) =>
        n % 64 === 0
          ? attacker.send({ path: '/1.1/batch', body: { requests } })
          : attacker.send({ path: '/1.1/classes/Flood', body: { n } }),
      )
    },
  },
  {
    name: 'one-row',
    what: 'increments of one object over 256 connections',
    prepare: async (attacker) => {
      row = String((await attacker.request({ path: '/1.1/classes/Flood', body: { n: 0 } })).objectId)
    },
    run: (attacker) => {
      const body = { n: { __op: 'Increment', amount: 1 } }
      const requests = Array.from({ length: 200 }, () => ({ method: 'PUT', path: `/1.1/classes/Flood/${row}`, body }))
      return attacker.flood(256, (n) =>
        n % 64 === 0
          ? attacker.send({ path: '/1.1/batch', body: { requests } })
          : attacker.send({ method: 'PUT', path: `/1.1/classes/Flood/${row}`, body }),
      )
    },
  },
  {
    name: 'classes',
    what: 'an object of another new class with each request, each with 50 fields',
    run: (attacker) => {
      const fields = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`field${n}`, n]))
      const run = Date.now().toString(36)
      return attacker.flood(16, (n) => attacker.send({ path: `/1.1/classes/Made${run}${n}`, body: fields }))
    },
  },
  {
    name: 'fields',
    what: 'new fields of one class with each request',
    run: (attacker) => {
      const run = Date.now().toString(36)
      return attacker.flood(16, (n) =>
        attacker.send({
          path: '/1.1/classes/Wide',
          body: Object.fromEntries(Array.from({ length: 20 }, (_, m) => [`f${run}${n}x${m}`, m])),
        }),
      )
    },
  },
  {
    name: 'large-objects',
    what: 'objects of almost 16 MB, made and changed, and updates that make a list longer',
    prepare: async (attacker) => {
      row = String((await attacker.request({ path: '/1.1/classes/Grown', body: { list: [] } })).objectId)
      heavyRow = String((await attacker.request({ path: '/1.1/classes/Heavy', body: { text: '' } })).objectId)
    },
    run: (attacker) => {
      const text = 'x'.repeat(15 * 1024 * 1024)
      const objects = Array.from({ length: 2000 }, (_, n) => `value ${n} ${Math.random()}`)
      return attacker.flood(4, (n) =>
        n % 2 === 0
          ? attacker.send(
              n % 4 === 0
                ? { path: '/1.1/classes/Heavy', body: { text } }
                : { method: 'PUT', path: `/1.1/classes/Heavy/${heavyRow}`, body: { text } },
            )
          : attacker.send({
              method: 'PUT',
              path: `/1.1/classes/Grown/${row}`,
              body: { list: { __op: n % 4 === 1 ? 'Add' : 'AddUnique', objects } },
            }),
      )
    },
  },
  {
    name: 'relations',
    what: 'relations of many thousands of objects, and `$relatedTo`',
    prepare: async (attacker) => {
      row = String((await attacker.request({ path: '/1.1/classes/Related', body: { n: 0 } })).objectId)
    },
    run: (attacker) => {
      const related = (from: number) =>
        Array.from({ length: 1000 }, (_, n) => ({
          __type: 'Pointer',
          className: 'Item',
          objectId: (from + n).toString(16).padStart(24, '0'),
        }))
      const object = { __type: 'Pointer', className: 'Related', objectId: row }
      return attacker.flood(32, (n) =>
        n % 2 === 0
          ? attacker.send({
              method: 'PUT',
              path: `/1.1/classes/Related/${row}`,
              body: { all: { __op: 'AddRelation', objects: related(n * 1000) } },
            })
          : attacker.get('/1.1/classes/Item', { where: { $relatedTo: { object, key: 'all' } }, order: '-text' }),
      )
    },
  },
  {
    name: 'installations',
    what: 'new devices with hundreds of channels, and records of files',
    run: (attacker) => {
      const run = Date.now()
      const channels = Array.from({ length: 300 }, (_, n) => `channel-${n}`)
      return attacker.flood(64, (n) =>
        n % 2 === 0
          ? attacker.send({
              path: '/1.1/installations',
              body: { deviceType: 'android', installationId: `${run}-${n}`, channels },
            })
          : attacker.send({ path: '/1.1/files', body: { name: `${n}.png`, url: 'https://example.org/x.png' } }),
      )
    },
  },
]
