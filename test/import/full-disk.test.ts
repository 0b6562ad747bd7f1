import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { canMount, mountSmallDisk } from '../support/small-disk.ts'
import { exportFile, makeImportTarget } from './imports.ts'

const target = await makeImportTarget()

test.skipIf(!canMount)(
  'an import whose report finds no space says so, and the same command goes on when there is some',
  async () => {
    const root = mkdtempSync(join(tmpdir(), 'homeport-test-'))
    const disk = mountSmallDisk(join(root, 'small'), 1)
    onTestFinished(() => {
      disk.unmount()
      rmSync(root, { recursive: true })
    })
    const lines = Array.from({ length: 3000 }, (_, n) => ({ n: n < 1500 ? n : 'x'.repeat(2000) }))
    const path = await target.file('Narrow.0.jsonl', exportFile('Narrow', lines))
    const args = ['--report', join(root, 'small', 'report'), path]
    const full = await target.run(...args)
    expect(full.code).toBe(1)
    expect(full.stderr).toContain(
      'rejected.jsonl: cannot be written: its disk is full; the same command goes on where it was',
    )
    expect(full.stderr).not.toContain(' at ')
    disk.grow(20)
    const whole = await target.run(...args)
    expect(whole.code).toBe(3)
    expect(whole.stdout).toContain('1500 records were not taken.')
    expect(await target.app.sql('SELECT count(*)::int AS n FROM "Narrow"')).toMatchObject({ rows: [{ n: 1500 }] })
  },
  120_000,
)
