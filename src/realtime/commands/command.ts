import type { CommandName, GenericCommand, OperationName } from '../../realtime-protocol/schema.ts'
import type { Clients } from '../clients.ts'
import type { EarlyCommands } from '../early-commands.ts'
import type { LiveQueryLogins } from '../live-query-logins.ts'
import type { Notified, Rate } from '../rates.ts'
import type { Refusal } from '../refusals.ts'
import type { Answer, Session } from '../session.ts'

/* All facts about a command are declared at its handler, and nowhere else. A command that lacks one of them does not compile. */

interface Named {
  readonly cmd: CommandName
  /** null: the command has no operations; an operation that a client sends is ignored (protocol/realtime, GenericCommand). */
  readonly op: OperationName | null
}

/** The limit of a command, and the clients it notifies; both are counted before the command begins. */
type Facts =
  | {
      /** The limit that the command counts towards (protocol/realtime, Limits). */
      readonly rate: Rate
      /** Returns the clients that the command notifies; null when it notifies no other client. */
      readonly notifies: ((command: GenericCommand) => Notified) | null
      /** Returns how many times the command counts; once by default. */
      readonly times?: ((command: GenericCommand) => number) | null
    }
  /** Nothing is counted. */
  | { readonly rate: null; readonly notifies: null; readonly times?: null }

/**
 * Performs a command of a client that is logged in.
 * @returns the response
 * @throws ApiError when the command is rejected
 */
type SessionHandler<Response> = (session: Session, command: GenericCommand, clients: Clients) => Promise<Response>

/** Handles a command of a device or live query client, which needs no session. @returns whether it did */
type WithoutSession = (clients: Clients, command: GenericCommand) => boolean

/** The clients of a connection, for commands that log one in or out. */
interface Logins {
  readonly clients: Clients
  readonly liveQueries: LiveQueryLogins
}

/** Sends the response to a login or logout. @param peerId the client that it is for */
export type Reply = (answer: Answer, peerId?: string) => void

/** Performs a login or logout, and responds. @throws ApiError when it is rejected */
type LoginHandler = (logins: Logins, command: GenericCommand, reply: Reply) => Promise<void>

/** Performs a login or logout before the app of its connection is known. */
type EarlyHandler = (early: EarlyCommands, command: GenericCommand) => Promise<void> | void

/** A command of a client that is logged in. */
type SessionDefinition = Named &
  Facts & {
    readonly needsSession?: true
    readonly withoutSession?: WithoutSession
    /** An `error` command by default. */
    readonly refusal?: Refusal
  } & (
    | { readonly answered: true; readonly handler: SessionHandler<Answer> }
    /** Clients expect neither a response nor an error (protocol/realtime, Request/reply overview). */
    | { readonly answered: false; readonly handler: SessionHandler<undefined> }
  )

/** A command that logs a client in or out. Its handler counts it as soon as the client is known. */
interface LoginDefinition extends Named {
  readonly needsSession: false
  readonly rate: null
  readonly notifies: null
  readonly answered: true
  /** The kind of login; null for a logout. */
  readonly logsIn: 'client' | 'installation' | null
  readonly handler: LoginHandler
  /** Without it the command is rejected while the app is unknown. */
  readonly early?: EarlyHandler
}

/** The facts about a command that a client has sent. */
export type Descriptor = Facts & {
  readonly answered: boolean
} & (
    | {
        readonly needsSession: true
        readonly handler: SessionHandler<Answer | undefined>
        readonly withoutSession: WithoutSession | null
        readonly refusal: Refusal | null
        readonly logsIn: null
        readonly early: null
      }
    | {
        readonly needsSession: false
        readonly handler: LoginHandler
        readonly withoutSession: null
        readonly refusal: null
        readonly logsIn: LoginDefinition['logsIn']
        readonly early: EarlyHandler | null
      }
  )

export type Command = Named & Descriptor

/** Declares a command of the protocol that clients may send; `table.ts` lists all of them. */
export function command(definition: SessionDefinition | LoginDefinition): Command {
  // All objects have the same members in the same order, for fast access: they are read for each command of each client.
  const { cmd, op, answered } = definition
  const counted: Facts =
    definition.rate === null
      ? NOT_COUNTED
      : { rate: definition.rate, notifies: definition.notifies, times: definition.times ?? null }
  if (definition.needsSession === false) {
    const { handler, logsIn, early = null } = definition
    const none = { withoutSession: null, refusal: null }
    return { cmd, op, ...counted, answered, needsSession: false, handler, ...none, logsIn, early }
  }
  const { handler, withoutSession = null, refusal = null } = definition
  const session = { withoutSession, refusal, logsIn: null, early: null }
  return { cmd, op, ...counted, answered, needsSession: true, handler, ...session }
}

const NOT_COUNTED = { rate: null, notifies: null, times: null } as const
