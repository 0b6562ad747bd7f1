import { Command } from 'commander'
import { type Config, readConfig } from '../config.ts'
import type { OptionName } from '../config-options.ts'
import { runningServer } from '../data-directory.ts'
import { examineMachine } from '../doctor/examine-machine.ts'
import type { Level } from '../doctor/finding.ts'
import { shownFinding } from '../doctor/shown-finding.ts'
import { inEnglish } from '../notices/in-english.ts'
import { connect } from './management.ts'
import { addOptions } from './options.ts'

/** A finding as the command prints it. */
interface Shown {
  readonly level: Level
  readonly id: string
  readonly text: string
  readonly fix: string | null
}

interface Flags {
  readonly [option: string]: unknown
  readonly url?: string
  readonly clockUrl?: string
  readonly strict?: true
  readonly json?: true
}

/** Options that select a server instead of describing one. */
const SELECTING = new Set(['data', 'url', 'clockUrl', 'strict', 'json'])
const EXAMINED: readonly OptionName[] = [
  'data',
  'host',
  'databaseUrl',
  'redisUrl',
  'filesUrl',
  'diskReserve',
  'searchUrl',
  'smtpUrl',
  'publicUrl',
  'filesPublicUrl',
  'trustedProxies',
  'adminAddresses',
  'allowPrivateAddresses',
]

/** Exit codes: 0 without errors, 1 with errors, 2 for invalid options, 3 with `--strict` if there are only warnings. */
const EXIT = { ok: 0, error: 1, warning: 3 } as const

/**
 * `homeport doctor` finds problems of the machine, the configuration and the servers that Homeport uses. A running server examines
 * itself, with its own configuration; otherwise, or when an option describes another configuration, the command does it.
 */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('Find problems of the server, the machine and the configuration, and show how to fix them.')
    .option('--url <url>', 'URL of a running server; requires its administrator token in HOMEPORT_ADMIN_TOKEN')
    .option('--clock-url <url>', 'HTTP server whose clock is compared with that of this machine')
    .option('--strict', 'exit with 3 if there are only warnings')
    .option('--json', 'print JSON')
  return addOptions(command, [...EXAMINED]).action(async (flags: Flags) => {
    const findings = await examine(flags)
    if (flags.json) process.stdout.write(`${JSON.stringify({ findings }, null, 2)}\n`)
    else for (const finding of findings) process.stdout.write(shownFinding(finding))
    process.exitCode = exitCodeOf(findings, flags.strict === true)
  })
}

async function examine({ url, clockUrl, strict: _, json: __, ...options }: Flags): Promise<readonly Shown[]> {
  const describes = Object.keys(options).some((name) => !SELECTING.has(name))
  const config = url === undefined ? readConfig(options, process.env) : null
  if (config === null || (!describes && hasServer(config))) {
    const target = config === null ? { url: url! } : { data: config.data }
    const body = clockUrl === undefined ? {} : { clockUrl }
    const report = await connect(target).request('POST', '/admin/doctor', body)
    return (report as { readonly findings: readonly Shown[] }).findings.map(({ level, id, text, fix }) => ({
      level,
      id,
      text,
      fix,
    }))
  }
  const findings = await examineMachine(config, clockUrl ?? null)
  return findings.map(({ level, id, text, fix }) => ({ level, id, text: inEnglish(text), fix: fix && inEnglish(fix) }))
}

function hasServer({ data }: Config): boolean {
  return (runningServer(data)?.url ?? null) !== null
}

function exitCodeOf(findings: readonly Shown[], isStrict: boolean): number {
  if (findings.some(({ level }) => level === 'error')) return EXIT.error
  return isStrict && findings.some(({ level }) => level === 'warning') ? EXIT.warning : EXIT.ok
}
