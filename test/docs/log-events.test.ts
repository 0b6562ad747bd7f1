import { expect, it } from 'vitest'
import { calledName, calledObject, type Node, type Source, sources, textsOf, walk } from './product-texts.ts'

interface Event {
  readonly text: string
  readonly level: string
  readonly file: string
}

const LEVELS = ['error', 'warn', 'info', 'debug']
const MEANING: Readonly<Record<string, string>> = {
  error: 'Something is broken that Homeport cannot repair: an administrator has to act, or a bug has to be reported.',
  warn: 'Something failed that Homeport tries again, or does without.',
  info: 'Something happened that administrators may want to know.',
  debug: 'Written with `--log-level debug` only.',
}

/** Files whose log calls pass on texts, each of which is a literal at the call of the wrapper or comes from another program. */
const WRAPPERS = [
  'database/embedded/postgres-log.ts',
  'hooks/schedules.ts',
  'hooks/throttled-log.ts',
  'jobs/jobs.ts',
  'messaging/pending-work.ts',
]

const events: Event[] = []
const unresolved: string[] = []
for (const source of sources()) walk(source.tree, (node) => node.type === 'CallExpression' && collect(source, node))

function collect(source: Source, call: Node): void {
  const [name, object] = [calledName(call), calledObject(source, call)]
  const level = LEVELS.includes(name) ? name : 'warn'
  const isLog = LEVELS.includes(name) && /(?:^|[.#])(?:log|throttledLog)$/i.test(object)
  const isWrapper = name === '#warn' || (name === 'add' && object.endsWith('pendingWork'))
  if (!isLog && !isWrapper) return
  const texts = (call.arguments as Node[]).slice(1).flatMap((argument) => textsOf(source, argument))
  if (texts.length === 0 && isLog && !WRAPPERS.includes(source.file)) unresolved.push(source.file)
  for (const text of texts) events.push({ text, level, file: source.file })
}

it('finds the text of each log call', () => {
  expect(unresolved).toEqual([])
  expect(events.length).toBeGreaterThan(70)
})

it('lists all log events on the page of log events', async () => {
  const sections = LEVELS.map((level) => {
    const ofLevel = events.filter((event) => event.level === level)
    const rows = [...new Set(ofLevel.map(({ text }) => text))].toSorted().map((text) => {
      const files = new Set(ofLevel.filter((event) => event.text === text).map(({ file }) => `\`${file}\``))
      return `| \`${text}\` | ${[...files].join(', ')} |`
    })
    return `## ${level}\n\n${MEANING[level]}\n\n| Event | Written by |\n|---|---|\n${rows.join('\n')}\n`
  })
  const page = `# Log events

Search this page for a line of the log: the \`msg\` of each line is one of these constant texts, and what differs from line to line
is in the fields beside it (\`error\`, \`reason\`, \`app\`, …). The log is one JSON object a line on standard error; \`--log-level\` chooses
how much is written. The messages of the embedded PostgreSQL are written to the same log with its own texts.

A test generates this page from the source (\`npx vitest run test/docs/log-events.test.ts -u\`).

${sections.join('\n')}`
  await expect(page).toMatchFileSnapshot('../../docs/log-events.md')
})
