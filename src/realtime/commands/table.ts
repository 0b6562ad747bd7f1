import { errors } from '../../errors.ts'
import type { CommandName, GenericCommand, OperationName } from '../../realtime-protocol/schema.ts'
import { blacklistCommands } from './blacklist.ts'
import type { Command, Descriptor } from './command.ts'
import { changeCommands } from './conv-changes.ts'
import { countCommands } from './conv-counts.ts'
import { memberCommands } from './conv-members.ts'
import { queryConversations } from './conv-query.ts'
import { changeRole } from './conv-roles.ts'
import { silenceCommands } from './conv-silences.ts'
import { startConversation } from './conv-start.ts'
import { sendDirect } from './direct.ts'
import { logIn, logOut } from './login.ts'
import { answerLogs } from './logs.ts'
import { patchCommands } from './patch.ts'
import { answerMaxRead, noteRead, noteReceived } from './reads.ts'
import { uploadReport } from './report.ts'
import { sessionCommands } from './session.ts'
import { openSession } from './session-open.ts'

/** The commands of the protocol that clients may send (protocol/realtime, Request/reply overview). */
export const COMMANDS: Readonly<Record<CommandName, readonly Command[]>> = {
  session: [openSession, ...sessionCommands],
  conv: [
    startConversation,
    ...memberCommands,
    queryConversations,
    ...countCommands,
    answerMaxRead,
    ...changeCommands,
    changeRole,
    ...silenceCommands,
  ],
  direct: [sendDirect],
  ack: [noteReceived],
  read: [noteRead],
  logs: [answerLogs],
  patch: patchCommands,
  blacklist: blacklistCommands,
  report: [uploadReport],
  login: [logIn],
  logout: [logOut],
  // The connection answers it, whatever its app.
  echo: [],
  // Only the server sends these.
  data: [],
  error: [],
  goaway: [],
  loggedin: [],
  loggedout: [],
  rcp: [],
  unread: [],
  // No client sends these.
  presence: [],
  pubsub: [],
  room: [],
}

/** The commands of one name: one without operations, or one for each operation. */
interface Family {
  readonly withoutOp: Command | null
  readonly byOperation: ReadonlyMap<OperationName, Command>
}

const FAMILIES = new Map(Object.entries(COMMANDS).map(([cmd, commands]) => [cmd, familyOf(cmd, commands)]))

function familyOf(cmd: string, commands: readonly Command[]): Family {
  const withoutOp = commands.find(({ op }) => op === null) ?? null
  const byOperation = new Map(commands.flatMap((command) => (command.op === null ? [] : [[command.op, command]])))
  const known = byOperation.size + (withoutOp ? 1 : 0)
  if (
    known !== commands.length ||
    (withoutOp && commands.length > 1) ||
    commands.some((command) => command.cmd !== cmd)
  )
    throw new Error(`Commands '${cmd}' are declared twice, or under another name.`)
  return { withoutOp, byOperation }
}

/** The descriptor of unknown commands, which are counted like others, and rejected. */
export const UNKNOWN: Descriptor = {
  rate: 'operations',
  notifies: null,
  answered: true,
  needsSession: true,
  handler: async (_session, { cmd, op = 'open' }) => {
    const name = FAMILIES.get(cmd)?.byOperation.size ? `${cmd}/${op}` : cmd
    throw errors.badArgument(`Command '${name}' not found.`)
  },
  withoutSession: null,
  refusal: null,
  logsIn: null,
  early: null,
}

/** Returns the descriptor of a command that a client has sent. An omitted operation means the first one of the protocol. */
export function descriptorOf({ cmd, op = 'open' }: Pick<GenericCommand, 'cmd' | 'op'>): Descriptor {
  const family = FAMILIES.get(cmd)
  return family?.withoutOp ?? family?.byOperation.get(op) ?? UNKNOWN
}

/** Returns whether clients expect a response to a command, or an error. */
export function isAnswered(command: GenericCommand): boolean {
  return descriptorOf(command).answered
}
