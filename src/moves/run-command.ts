import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Notice } from '../notices/notice.ts'
import { IS_SOURCE, ownFile } from '../own-files.ts'
import type { MoveProgress } from './move.ts'
import type { MoveReport } from './move-report.ts'

/** Set where a server has started the command, which then sends it progress and results (`cli/parent-server.ts`). */
export const MOVE_VARIABLE = 'HOMEPORT_MOVE'

/** Ranges of private addresses that the command may reach, with commas. */
export const ALLOWED_VARIABLE = 'HOMEPORT_MOVE_ALLOWED_ADDRESSES'

/** Free space of the disk that the command leaves, as `--disk-reserve` has it. */
export const RESERVE_VARIABLE = 'HOMEPORT_MOVE_DISK_RESERVE'

/** What of the server's environment a command needs: where programs and certificates are, nothing of the server itself. */
const INHERITED = ['PATH', 'HOME', 'TMPDIR', 'TZ', 'LANG', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']
/** Characters of what it writes that are kept, the last ones. */
const MOST_TEXT = 60_000
/** Milliseconds that it gets to end when it is told to. */
const END_PATIENCE = 5_000

const MAIN = fileURLToPath(ownFile(`cli/main.${IS_SOURCE ? 'ts' : 'js'}`))
/** Whatever runs the source in this process runs it there too. */
const OPTIONS = IS_SOURCE ? process.execArgv : []

/** A message of a command to the server that has started it. */
export type CommandMessage =
  | { readonly progress: MoveProgress }
  | { readonly report: MoveReport }
  | { readonly failure: Notice }

export interface CommandEnd {
  /** null: it was ended by a signal */
  readonly code: number | null
  /** The end of what it has written, for people. */
  readonly text: string
  /** null: it came to none */
  readonly report: MoveReport | null
  /** Why it has failed; null where it has not said so. */
  readonly failure: Notice | null
}

/**
 * Runs a command of this program in a process of its own, so that reading large files takes no time of the server. It ends
 * with the server, also where that is killed.
 * @param secrets variables for it alone, which other users of the machine do not see
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
    text = (text + chunk.toString()).slice(-MOST_TEXT)
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
    killing = setTimeout(() => child.kill('SIGKILL'), END_PATIENCE)
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
