import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { forwardPostgresLog, parsePostgresMessage } from './postgres-log.ts'

test.each([
  ['checkpointer|00000|LOG:  shutting down', 'checkpointer', '00000', 'LOG', 'shutting down'],
  ['client backend|23505|ERROR:  duplicate key: "a|b"', 'client backend', '23505', 'ERROR', 'duplicate key: "a|b"'],
  ['FATAL:  too early for a prefix', '', '', 'FATAL', 'too early for a prefix'],
  ['postgres: error while loading libraries', '', '', 'WARNING', 'postgres: error while loading libraries'],
])('parses the line %j', (line, from, code, severity, text) => {
  expect(parsePostgresMessage(line)).toEqual({ from, code, severity, text })
})

test("logs errors of the server's own processes, but not those of statements and connections", async () => {
  const logged: string[] = []
  const to = (level: string) => (_: object, text: string) => logged.push(`${level} ${text}`)
  const lines = [
    'autovacuum worker|53100|ERROR:  could not write',
    'client backend|22P02|ERROR:  invalid input syntax: "secret',
    '\tand more of the secret"',
    'client backend|53300|FATAL:  sorry, too many clients already',
    'client backend|57P03|FATAL:  the database system is starting up',
    'postmaster|00000|LOG:  database system is ready to accept connections',
    'checkpointer|00000|LOG:  shutting down',
    'startup|00000|LOG:  database system was not properly shut down; automatic recovery in progress',
    'postmaster|00000|LOG:  ready',
    '\tfor more',
    'startup|01000|WARNING:  odd',
  ]
  const log = { info: to('info'), warn: to('warn'), error: to('error') }
  await forwardPostgresLog(Readable.from([`${lines.join('\n')}\n`]), log, () => {})
  expect(logged).toEqual([
    'error could not write',
    'error sorry, too many clients already',
    'info database system was not properly shut down; automatic recovery in progress',
    'info ready',
    'info for more',
    'warn odd',
  ])
})
