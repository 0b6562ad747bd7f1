import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { parseEnvironment, withVariables } from './environment-file.ts'

const ODD = ['plain', 'two words', 'a"b', "it's", 'back\\slash', '$HOME', '`id`', '100%', '#1', '数据', '']

test.each(ODD)('keeps the value %j', (value) => {
  expect(parseEnvironment(withVariables('', { HOMEPORT_X: value })).HOMEPORT_X).toBe(value)
})

test.skipIf(process.platform === 'win32').each(ODD)('a shell reads the value %j from the file', (value) => {
  const script = `${withVariables('', { HOMEPORT_X: value })}printf %s "$HOMEPORT_X"`
  expect(spawnSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).stdout).toBe(value)
})

test('changes only the lines of the variables', () => {
  const file = '# mine\nHOMEPORT_PORT=3000\n\nOTHER=1\nHOMEPORT_DATA=/srv/a\n'
  expect(withVariables(file, { HOMEPORT_PORT: '8080', HOMEPORT_LOG_LEVEL: 'warn' })).toBe(
    '# mine\nHOMEPORT_PORT="8080"\n\nOTHER=1\nHOMEPORT_DATA=/srv/a\nHOMEPORT_LOG_LEVEL="warn"\n',
  )
})

test('does not rewrite a line that already has the value', () => {
  expect(withVariables("HOMEPORT_PORT='3000'\n", { HOMEPORT_PORT: '3000' })).toBe("HOMEPORT_PORT='3000'\n")
})

test('ignores comments', () => {
  expect(parseEnvironment('#HOMEPORT_PORT=1\n; HOMEPORT_DATA=2\nHOMEPORT_HOST = 127.0.0.1\n')).toEqual({
    HOMEPORT_HOST: '127.0.0.1',
  })
})

test('rejects a value with a line break, which would set other variables', () => {
  expect(() => withVariables('', { HOMEPORT_PUBLIC_URL: 'https://x\nLD_PRELOAD=/tmp/x' })).toThrow(
    'HOMEPORT_PUBLIC_URL',
  )
})
