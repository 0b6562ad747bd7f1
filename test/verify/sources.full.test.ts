import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, inject, test } from 'vitest'
import { exportFile } from '../import/imports.ts'
import { makeVerifyTarget } from './verifications.ts'

const MAIN = process.env.HOMEPORT_TEST_PROGRAM ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const target = await makeVerifyTarget()
const { app } = target
const times = { createdAt: '2019-03-04T05:06:07.089Z', updatedAt: '2021-03-04T05:06:07.001Z' }

describe('sources of a comparison', { timeout: 240_000 }, () => {
  test('compares ten thousand objects of a packed file, including those at page boundaries', async () => {
    const objects = Array.from({ length: 10_001 }, (_, n) => ({
      objectId: (n % 2 ? 'A' : 'z') + n.toString(36).padStart(7, '0'),
      ...times,
      n,
      text: `the line ${n}`,
    }))
    const source = await target.file('Many.0.jsonl.gz', gzipSync(exportFile('Many', objects)))
    expect((await target.run(source)).code).toBe(0)
    const safe = await target.verify(source)
    expect([safe.code, safe.conclusion]).toEqual([
      0,
      'Safe to switch: all 10001 records of the source are in the app and match.',
    ])
    const ids = objects.map(({ objectId }) => objectId).sort()
    const [lost, other] = [
      [ids[0], ids[5000], ids[10_000]],
      [ids[4999], ids[9999]],
    ]
    await app.sql(`DELETE FROM "Many" WHERE id = ANY($1)`, [lost])
    await app.sql(`UPDATE "Many" SET data = data || '{"n": -1}' WHERE id = ANY($1)`, [other])
    await app.sql(
      `INSERT INTO "Many" (id, created_at, updated_at, data)
      SELECT id, '2019-01-01', '2019-01-01', '{}' FROM unnest($1::text[]) AS id`,
      [['0', `${ids[4998]}0`, 'zzzzzzzzz']],
    )
    const { code, conclusion, differences } = await target.verify(source)
    expect([code, conclusion]).toEqual([
      3,
      'Not safe to switch: 3 objects of Many are missing, 2 objects of Many differ, 3 objects of Many exist only in the app.',
    ])
    expect(differences.map(({ objectId }) => objectId).sort()).toEqual(
      [...lost, ...other, '0', `${ids[4998]}0`, 'zzzzzzzzz'].sort(),
    )

    // A sample compares only the ids of most objects: it finds missing ones, and differences in the sampled ones.
    const sampled = await target.verify(source, '--sample', '1000', '--json')
    expect([sampled.code, (await target.verify(source, '--sample', '1000', '--json')).stdout]).toEqual([
      3,
      sampled.stdout,
    ])
    const { safe: isSafe, classes } = JSON.parse(sampled.stdout)
    expect(isSafe).toBe(false)
    expect(classes.Many).toMatchObject({ there: 10_001, here: 10_001, verdicts: { missing: 3, 'only here': 3 } })
    expect(classes.Many.compared).toBeGreaterThan(800)
    expect(classes.Many.compared).toBeLessThan(1200)
  })

  test('a hostile or damaged source is reported, and controls neither the server nor the terminal', async () => {
    const good = { objectId: 'g1', ...times, n: 1 }
    const lines = [
      good,
      good,
      { objectId: "x'; DROP TABLE", n: 1 },
      { objectId: 'g2', ...times, createdAt: '0000-01-01T00:00:00.000Z' },
      { objectId: 'g3', ...times, text: 'a\u0000b' },
      { objectId: 'g4', ...times, text: '\u001b[2Jgone' },
      { objectId: 'g5', ...times, __proto__: { n: 1 }, constructor: 'x', deep: 'DEEP' },
      { objectId: 'g6', ...times, text: 'x'.repeat(8_000_000) },
      { ...times, n: 7 },
    ]
    const text = exportFile('Odd', lines).replace('"DEEP"', '['.repeat(5000) + ']'.repeat(5000))
    const source = await target.file('odd/Odd.0.jsonl', `${text}{"objectId":"cut",\n`)
    await target.file('odd/cut.jsonl.gz', gzipSync(exportFile('Cut', lines)).subarray(0, -400))
    await target.file('odd/what.bin', Buffer.from([1, 2, 3, 0, 5]))
    await target.run(source)
    await app.sql(`UPDATE "Odd" SET data = data || '{"text": "\\u009b2J"}' WHERE id = 'g4'`)
    const { code, stdout, stderr, conclusion, differences } = await target.verify(`${target.folder}/odd`)
    expect(code).toBe(3)
    expect(conclusion).toMatch(/^Not safe to switch: odd\/what.bin: .*Odd/)
    expect(stdout).toContain('Odd: 1 repeated record in the source')
    expect(stdout).toContain('Odd: 1 record without an objectId')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
    const of = differences.filter((one) => one.class === 'Odd')
    expect(
      of
        .filter(({ what }) => what === 'unreadable')
        .map(({ place }) => place.split(':').at(-1))
        .sort(),
    ).toEqual(['11', '4', '5', '8'])
    expect(of.filter(({ what }) => what === 'differs').map(({ objectId }) => objectId)).toEqual(['g4'])
  })

  test('an impossible comparison is not reported safe', async () => {
    await mkdir(`${target.folder}/void`, { recursive: true })
    const nothing = await target.verify(`${target.folder}/void`)
    expect([nothing.code, nothing.conclusion]).toEqual([3, 'Not safe to switch: nothing to compare.'])
    const none = await target.verify()
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining('name the source')])
    const gone = await target.verify(`${target.folder}/nowhere`)
    expect([gone.code, gone.stderr]).toEqual([1, expect.stringContaining('cannot be read')])
  })

  test('stops on Ctrl-C, and leaves nothing behind', async () => {
    const objects = Array.from({ length: 30_000 }, (_, n) => ({ objectId: `s${n}`, n }))
    const source = await target.file('Stopped.0.jsonl', exportFile('Stopped', objects))
    await target.file('tmp/.keep', '')
    const args = ['verify', '--app', app.appId, '--url', app.url, '--report', `${target.folder}/stopped.jsonl`, source]
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, HOMEPORT_ADMIN_TOKEN: inject('adminToken'), TMPDIR: `${target.folder}/tmp` },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let told = ''
    child.stderr.on('data', (piece: Buffer) => {
      told += piece.toString()
    })
    const ended = once(child, 'close')
    const inTmp = async () => (await readdir(`${target.folder}/tmp`)).filter((name) => name !== '.keep')
    while (child.exitCode === null && (await inTmp()).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGINT')
    expect((await ended)[0]).toBe(130)
    expect(told).toContain('interrupted; nothing was changed')
    expect(await inTmp()).toEqual([])
    expect((await readdir(target.folder)).filter((name) => name.startsWith('stopped.jsonl'))).toEqual([])
  })
})
