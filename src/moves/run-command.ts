import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Notice } from '../notices/notice.ts'
import { IS_SOURCE, ownFile } from '../own-files.ts'
import type { MoveProgress } from './move.ts'
import type { MoveReport } from './move-report.ts'

/** Set when a server started the command, which then sends it progress and results (`cli/parent-server.ts`). */
export const MOVE_VARIABLE = 'HOMEPORT_MOVE'

/** Comma-separated ranges of private addresses that the command may reach. */
export const ALLOWED_VARIABLE = 'HOMEPORT_MOVE_ALLOWED_ADDRESSES'

/** Free disk space that the command must leave, in the form of `--disk-reserve`. */
export const RESERVE_VARIABLE = 'HOMEPORT_MOVE_DISK_RESERVE'

/**
 * Variables of the server's environment that a command inherits: paths of programs and certificates, and no settings or secrets.
 */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
/** Characters of its output that are kept, from the end. */
const MAX_TEXT = 60_000
/** Milliseconds between SIGTERM and SIGKILL. */
const END_TIMEOUT_MS = 5_000

const MAIN = fileURLToPath(ownFile(`cli/main.${IS_SOURCE ? 'ts' : 'js'}`))
/** If this process runs from source, the command uses the same loader options. */
const OPTIONS = IS_SOURCE ? process.execArgv : []

/** A message from a command to the server that started it. */
export type CommandMessage =
  | { readonly progress: MoveProgress }
  | { readonly report: MoveReport }
  | { readonly failure: Notice }

export interface CommandEnd {
  /** null when a signal ended the command */
  readonly code: number | null
  /** The end of its output, for people. */
  readonly text: string
  /** null when the command sent none */
  readonly report: MoveReport | null
  /** Why the command failed; null when it sent no reason. */
  readonly failure: Notice | null
}

/**
 * Runs a command of this program in a child process, so that reading large files does not block the server. The command ends when
 * the server ends, even if the server is killed.
 * @param secrets additional environment variables, which other users of the machine cannot read
 */
export async function runCommand(
  args: readonly string[],
  secrets: Readonly<Record<string, string>>,
  signal: AbortSignal,
  onProgress: (progress: MoveProgress) => void,
): Promise<CommandEnd> {
  const inherited = INHERITED.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  const child = spawn(process.execPath, [...OPTIONS, MAIN, ...args], {
    env: { ...Object.fromEntries(inherited), ...secrets, [MOVE_VARIABLE]: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let text = ''
  let report: MoveReport | null = null
  let failure: Notice | null = null
  const take = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-MAX_TEXT)
  }
  child.stdout!.on('data', take)
  child.stderr!.on('data', take)
  child.on('message', (received) => {
    const message = received as CommandMessage
    if ('report' in message) report = message.report
    else if ('failure' in message) failure = message.failure
    else onProgress(message.progress)
  })
  let killing: NodeJS.Timeout | undefined
  const end = () => {
    child.kill('SIGTERM')
    killing = setTimeout(() => child.kill('SIGKILL'), END_TIMEOUT_MS)
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  try {
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, text: text.trim(), report, failure }
  } finally {
    clearTimeout(killing)
    signal.removeEventListener('abort', end)
  }
}
