import { ConfigError } from '../../config.ts'
import { flagOf, OPTIONS } from '../../config-options.ts'

/**
 * Checks that npm has not taken options for itself: `npm start --port 8123` sets a variable and calls the program without the
 * flag, so that the server would start with another port or data directory.
 * @throws ConfigError that says how to pass the options
 */
export function checkNpmFlags(environment: NodeJS.ProcessEnv): void {
  if (environment.npm_lifecycle_event !== 'start') return
  const taken = Object.keys(OPTIONS)
    .map(flagOf)
    .filter((flag) => environment[`npm_config_${flag.slice(2).replaceAll('-', '_')}`] !== undefined)
  if (taken.length === 0) return
  const example = taken.map((flag) => `${flag} <value>`).join(' ')
  throw new ConfigError([
    `npm does not pass ${taken.join(', ')} to the server. Write two dashes before the options: npm start -- ${example}`,
  ])
}
