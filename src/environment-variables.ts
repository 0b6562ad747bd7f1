import { nearestName } from './nearest-name.ts'

const PREFIX = 'HOMEPORT_'

/** Variables of commands that are not options of the server, and of child processes of the server. */
const OTHER_VARIABLES = [
  'HOMEPORT_SOURCE_MASTER_KEY',
  'HOMEPORT_MOVE',
  'HOMEPORT_MOVE_ALLOWED_ADDRESSES',
  'HOMEPORT_MOVE_DISK_RESERVE',
]

/** Variables of the tests of this project. */
const FOR_TESTS = /^HOMEPORT_TEST_/

/**
 * Variables that Kubernetes and Docker set in all containers for a service or a linked container called `homeport…`:
 * `HOMEPORT_SERVICE_HOST`, `HOMEPORT_PORT_3000_TCP_ADDR`, `HOMEPORT_PORT=tcp://10.0.0.1:3000`.
 */
const OF_SERVICES = /_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//

/**
 * Returns whether a container platform has set a variable for a service, so that it is not meant for this program.
 * @param value its value
 */
export function isOfService(name: string, value: string): boolean {
  return OF_SERVICES.test(name) || (name.endsWith('_PORT') && SERVICE_ADDRESS.test(value))
}

/**
 * Returns a fault for each non-empty variable `HOMEPORT_…` that the program does not have: with a misspelled
 * `HOMEPORT_DATABASE_URL`, a server would start with another, empty database.
 * @param options the variables of options
 */
export function unknownVariables(environment: NodeJS.ProcessEnv, options: readonly string[]): string[] {
  const known = [...options, ...OTHER_VARIABLES]
  const bare = known.map((name) => name.slice(PREFIX.length))
  return Object.entries(environment).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX) || !value || known.includes(name) || FOR_TESTS.test(name)) return []
    if (isOfService(name, value)) return []
    const meant = nearestName(name.slice(PREFIX.length), bare)
    return [`unknown environment variable ${name}${meant ? `; did you mean ${PREFIX}${meant}?` : ''}`]
  })
}
