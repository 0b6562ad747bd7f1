/**
 * Which file may import which, types included (`npm run deps`; docs/architecture.md, One picture).
 */

/** From the top to the ground: a part imports parts of lower layers only, and none beside it. */
const layers = [
  ['cli/'],
  ['server.ts'],
  ['server/'],
  ['api/', 'realtime/'],
  ['administrators/', 'backup/', 'doctor/', 'export/', 'import/', 'moves/', 'realtime-protocol/'],
  ['running-app/', 'shared-parts.ts'],
  ['apps/'],
  ['hooks/', 'leaderboards/', 'push/'],
  ['accounts/', 'files/', 'live-query/', 'messaging/', 'roles/', 'search/', 'social/'],
  ['alerts/', 'config.ts', 'metrics/', 'objects/'],
  ['config-options.ts'],
  ['health-history/', 'limits/', 'mail/', 'tls/'],
  ['bus/', 'jobs/'],
  ['captcha/', 'database/'],
  ['data-directory.ts', 'disk-reserve.ts', 'sms/', 'values/'],
  ['http-client/'],
  ['scheduling/', 'tracing/'],
  [
    'admin-token.ts',
    'counts.ts',
    'backup-retention.ts',
    'directory-lock.ts',
    'environment-variables.ts',
    'errors.ts',
    'files-url.ts',
    'log-tail.ts',
    'log.ts',
    'machine-memory.ts',
    'own-files.ts',
    'proxies.ts',
    'reserved-port.ts',
    'settings-schema.ts',
    'version.ts',
  ],
  ['log-files.ts', 'notices/'],
  ['log-event.ts', 'nearest-name.ts'],
]

/** The same inside a domain: its rooms, and what stands beside them (`''`). */
const rooms = {
  accounts: [['users/'], ['login/', 'phone/'], ['sms/'], [''], ['platforms/']],
  objects: [
    ['cql/', 'writing/'],
    ['reading/'],
    [''],
    ['statements/'],
    ['classes/'],
    ['where/', 'operations/'],
    ['access/'],
  ],
  'objects/where': [[''], ['patterns/']],
  import: [['verify/'], ['forms/', 'write/'], ['sources/'], ['']],
  messaging: [
    ['conversations/', 'history/', 'moderation/', 'sessions/'],
    ['members/', 'reading/'],
    ['messages/'],
    ['records/'],
    [''],
  ],
  social: [['statuses/'], ['friendship/'], ['']],
  push: [['credentials/'], ['delivery/', 'built-in-channel/', 'request/'], ['installations/'], [''], ['providers/']],
}

/** What serves without being imported: the program itself, and what runs in a thread of its own. */
const program = '^src/cli/main\\.ts$'
/** What the console alone imports: the Chinese texts of reports. */
const ofConsole = '^src/notices/chinese'
/** Types of files of packages that declare none themselves. */
const declarations = '\\.d\\.ts$'
const threads = '^src/(accounts/password-worker\\.mjs|import/write/reading-worker\\.ts)$'

/** A rule for each part: of `root` it imports itself and what lies below it, nothing else. */
function order(root, layers, comment) {
  return layers.flatMap((layer, depth) => {
    const below = layers.slice(depth + 1).flat()
    return layer.map((part) => ({
      name: `order:${root}${part}`,
      severity: 'error',
      comment,
      from: { path: pattern(root, [part]) },
      to: { path: `^${root}`, pathNot: pattern(root, [part, ...below]) },
    }))
  })
}

/** The files of parts; those of `''` stand in the root itself. */
function pattern(root, parts) {
  return parts.map(
    (part) => `^${root}${part === '' ? '[^/]+$' : part.endsWith('/') ? part : `${part.replace('.', '\\.')}$`}`,
  )
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
    ...order('src/', layers, 'Imports point down the layers.'),
    {
      name: 'known-part',
      severity: 'error',
      comment: 'Each part has its place among the layers above.',
      from: { path: '^src/', pathNot: pattern('src/', layers.flat()) },
      to: {},
    },
    ...Object.entries(rooms).flatMap(([domain, layers]) =>
      order(`src/${domain}/`, layers, 'Rooms of a domain form no circle, and its root holds only what they share.'),
    ),
    {
      name: 'http-calls-endpoints',
      severity: 'error',
      comment: 'An endpoint is a function of a call, however that is made: it knows nothing of HTTP.',
      from: { path: '^src/api/', pathNot: '^src/api/http/' },
      to: { path: '^src/api/http/' },
    },
    {
      name: 'versions-apart',
      severity: 'error',
      comment: 'What endpoints of several versions share belongs to none of them.',
      from: { path: '^src/api/([^/]+)/' },
      to: { path: '^src/api/(1\\.[12]|2|v1|admin|storage)/', pathNot: '^src/api/$1/' },
    },
    {
      name: 'program-without-tests',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: ['^(test|bench|scripts)/', '\\.test\\.ts$'] },
    },
    {
      name: 'program-without-development-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'one-http-client',
      severity: 'error',
      comment: 'Other servers are asked through http-client/exchange.ts.',
      from: { path: '^src/', pathNot: '^src/http-client/' },
      to: { path: '(^|/)node_modules/undici/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-orphan',
      severity: 'error',
      comment: 'What the program never imports is dead, or belongs to the tests.',
      from: { path: program },
      to: { path: '^src/', pathNot: [program, threads, ofConsole, declarations], reachable: false },
    },
  ],
  options: {
    // TypeScript 7 has no API for other programs. swc keeps the imports of types, which count as all others.
    parser: 'swc',
    doNotFollow: { path: ['node_modules', '^(test|bench|scripts)/', '\\.test\\.ts$'] },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'] },
  },
}
