import { expect, test } from 'vitest'
import { checkNpmFlags } from './npm-flags.ts'

test.each([
  [{ npm_config_port: 'true' }, '--port', '--port <value>'],
  [
    { npm_config_data: '/srv', npm_config_public_url: 'true' },
    '--data, --public-url',
    '--data <value> --public-url <value>',
  ],
])('%j: says how npm passes options', (variables, flags, example) => {
  expect(() => checkNpmFlags({ npm_lifecycle_event: 'start', ...variables })).toThrow(
    `npm does not pass ${flags} to the server. Write two dashes before the options: npm start -- ${example}`,
  )
})

test.each([
  [{ npm_lifecycle_event: 'start', npm_config_loglevel: 'silent', npm_config_cache: '/x' }],
  [{ npm_lifecycle_event: 'test', npm_config_port: '1' }],
  [{ npm_config_port: '1' }],
])('%j: nothing is taken', (environment) => {
  expect(() => checkNpmFlags(environment)).not.toThrow()
})
