import { cpus } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command, InvalidArgumentError, Option } from 'commander'
import { ATTACKS } from '../attack/attacks.ts'
import { HelperProcess } from '../attack/helper-process.ts'
import type { Target } from '../attack/target.ts'
import { watchUsage } from '../attack/usage.ts'
import { APP_OF_VICTIM, Victim } from '../attack/victim.ts'
import type { Cleanup } from '../cleanup.ts'
import { temporaryDirectory } from '../postgres.ts'
import { runBenchmark } from '../run-benchmark.ts'
import type { Gathered, Order, Talked } from './crowd-main.ts'

/** The address of the crowd; attackers use another one (`attack/target.ts`). */
const CROWD = '127.0.2.1'
/** Timeout of a reply of the crowd process, in milliseconds. */
const REPLY_TIMEOUT_MS = 900_000
/** The time between the start of the attack and the messages of the crowd, in milliseconds. */
const LEAD_MS = 15_000

interface Options {
  readonly members: number
  readonly rate: number
  readonly seconds: number
  readonly attacks: readonly string[]
  readonly connectionsPerAddress?: number
  readonly json: string | null
}

interface Flags extends Omit<Options, 'attacks' | 'json'> {
  readonly attack: readonly string[]
  readonly json?: string
}

interface Round {
  readonly attack: string | null
  readonly talked: Talked
  /** CPU usage of the server; 1 is one full processor. */
  readonly processor: number
  /** Maximum memory of the server, in bytes. */
  readonly memory: number
  /** The results of the attacker. */
  readonly tally: readonly (readonly [string, number])[]
}

interface Figures {
  readonly date: string
  readonly machine: { readonly processors: number; readonly model: string; readonly node: string }
  readonly options: Options
  readonly gathered: Gathered
  readonly rounds: readonly Round[]
}

/**
 * Lets a crowd behind one address fill a chat room of a server with default settings and send messages: on an otherwise idle
 * server, and during an attack from another address. Prints rejections and losses; the exit code is 1 when messages were lost on
 * the idle server, or connections of members closed.
 * @param root the project folder, with a build in `dist`
 */
export async function benchLiveRoom(root: string, argv: readonly string[]): Promise<void> {
  const options = readOptions(argv)
  await runBenchmark(
    options.json,
    (cleanup) => measure(root, options, cleanup),
    (figures) => {
      if (!isKept(figures)) process.exitCode = 1
      return report(figures)
    },
  )
}

async function measure(root: string, options: Options, cleanup: Cleanup): Promise<Figures> {
  const data = join(await temporaryDirectory(cleanup), 'data')
  const { connectionsPerAddress } = options
  const further =
    connectionsPerAddress === undefined ? [] : ['--connections-per-address', String(connectionsPerAddress)]
  const victim = new Victim(root, data, further)
  cleanup.add(() => victim.stop())
  await victim.restart()
  const crowd = new HelperProcess(new URL('./crowd-main.js', import.meta.url), 0)
  cleanup.add(() => crowd.end())
  const request = <Answer>(order: Order) => crowd.request<Answer>(order, REPLY_TIMEOUT_MS)
  const port = Number(new URL(victim.url).port)
  process.stderr.write(`${options.members} members enter the room\n`)
  const server = { port, appId: APP_OF_VICTIM.appId, address: CROWD }
  const gathered = await request<Gathered>({ kind: 'gather', server, members: options.members })
  process.stderr.write(`${gathered.members} members are in the room\n`)
  const rounds: Round[] = []
  for (const attack of [null, ...options.attacks]) {
    rounds.push(await cleanup.within((inner) => talk(attack, victim, request, options, inner)))
    process.stderr.write(`${textOf(rounds.at(-1)!)}\n`)
  }
  const machine = { processors: cpus().length, model: cpus()[0]?.model ?? 'unknown', node: process.version }
  return { date: new Date().toISOString(), machine, options, gathered, rounds }
}

async function talk(
  attack: string | null,
  victim: Victim,
  request: <Answer>(order: Order) => Promise<Answer>,
  { seconds, rate }: Options,
  cleanup: Cleanup,
): Promise<Round> {
  let attacker: HelperProcess | null = null
  if (attack !== null) {
    attacker = new HelperProcess(new URL('../attack/attacker-main.js', import.meta.url), 0)
    cleanup.add(() => attacker?.end())
    await attacker.request({ name: attack, target: targetOf(victim) }, REPLY_TIMEOUT_MS)
    attacker.send('go')
    await sleep(LEAD_MS)
  }
  const stopWatching = watchUsage(victim.pid, await victim.postmaster())
  const talked = await request<Talked>({ kind: 'talk', seconds, rate })
  const usage = stopWatching()
  const { tally } = attacker
    ? await attacker.request<{ tally: [string, number][] }>('stop', REPLY_TIMEOUT_MS)
    : { tally: [] as [string, number][] }
  return { attack, talked, processor: usage.serverProcessor, memory: usage.server, tally }
}

function targetOf(victim: Victim): Target {
  return {
    ...APP_OF_VICTIM,
    url: victim.url,
    port: Number(new URL(victim.url).port),
    items: { className: 'Item', ids: ['555555555555555555555555'] },
    crowd: { className: 'Crowd', objects: 0 },
    users: [],
    conversation: '',
  }
}

function isKept({ rounds }: Figures): boolean {
  const [quiet] = rounds as [Round]
  const isComplete = quiet.talked.lost === 0 && quiet.talked.refused.length === 0
  return isComplete && rounds.every(({ talked }) => talked.lost === 0 && talked.disconnected === 0)
}

function report({ machine, gathered, options, rounds }: Figures): string {
  const refused = gathered.refused.map(([why, times]) => `${times} × ${why}`).join(', ')
  return [
    `A chat room behind one address: ${gathered.members} of ${options.members} members, ${options.rate} messages a second`,
    ...(refused === '' ? [] : [`Not in the room: ${refused}`]),
    `${gathered.perSecond.toFixed(0)} members entered in a second`,
    ...rounds.map(textOf),
    `${machine.processors} × ${machine.model}, Node ${machine.node}`,
    '',
  ].join('\n')
}

function textOf({ attack, talked, processor, memory, tally }: Round): string {
  const { sent, refused, expected, delivered, lost, disconnected, p50, p99, delayed } = talked
  const share = (1 - sumOf(refused) / sent) * 100
  const answers = [...tally].sort(([, left], [, right]) => right - left).slice(0, 6)
  const lines = [
    `${attack === null ? 'Otherwise idle' : `Under '${attack}' from another address`}:`,
    `  ${sent} messages sent, ${sumOf(refused)} refused (${listOf(refused)}), ${share.toFixed(0)} % taken`,
    `  ${delivered} of ${expected} deliveries, ${lost} lost, ${disconnected} members gone`,
    `  p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, the last one after ${delayed.toFixed(0)} ms`,
    `  server: ${(processor * 100).toFixed(0)} % of a processor, ${(memory / 1024 ** 2).toFixed(0)} MB`,
    ...(attack === null ? [] : [`  the attacker got: ${listOf(answers)}`]),
  ]
  return lines.join('\n')
}

function sumOf(tally: readonly (readonly [string, number])[]): number {
  return tally.reduce((sum, [, times]) => sum + times, 0)
}

function listOf(tally: readonly (readonly [string, number])[]): string {
  return tally.map(([what, times]) => `${times} × ${what}`).join(', ') || 'nothing'
}

function readOptions(argv: readonly string[]): Options {
  const names = ATTACKS.map(({ name }) => name)
  const command = new Command('npm run bench:live-room --')
    .description('Lets a crowd behind one address talk in one chat room, alone and while another address attacks.')
    .option(
      '--members <number>',
      'of the room; as many connections as the process may open files, and a few',
      number,
      20_000,
    )
    .option('--rate <number>', 'messages in a second', number, 20)
    .option('--seconds <number>', 'of each round', number, 15)
    .option(
      '--connections-per-address <number>',
      'option of the server; its default where it is not given',
      numberOrZero,
    )
    .addOption(new Option('--attack <names...>', 'attacks of `npm run attack`').choices(names).default(['room']))
    .option('--json <file>', 'write the raw figures to a file')
    .parse(argv)
  const { attack, json, ...numbers } = command.opts<Flags>()
  return { ...numbers, attacks: attack, json: json ?? null }
}

function number(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a whole number above 0.')
  return Number(text)
}

function numberOrZero(text: string): number {
  return text === '0' ? 0 : number(text)
}
