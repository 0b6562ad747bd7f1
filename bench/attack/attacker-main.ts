import { setTimeout as sleep } from 'node:timers/promises'
import { Attacker } from './attacker.ts'
import { ATTACKS } from './attacks.ts'
import type { Target } from './target.ts'

/** The process of an attacker: prepares for a target, attacks on command, and reports at the end. */
type Order = { readonly name: string; readonly target: Target } | 'go' | 'stop'

let attacker: Attacker
let attack: (typeof ATTACKS)[number]

process.on('message', async (order: Order) => {
  if (order === 'stop') {
    attacker.stopped = true
    process.send!({ tally: [...attacker.tally] }, () => process.exit())
  } else if (order === 'go') {
    attacker.tally.clear()
    while (!attacker.stopped) {
      await attack.run(attacker).catch((error: Error) => attacker.count(error.message.slice(0, 60)))
      await sleep(20)
    }
  } else {
    attack = ATTACKS.find(({ name }) => name === order.name)!
    attacker = new Attacker(order.target)
    await attack.prepare?.(attacker).catch((error: Error) => {
      process.stderr.write(`${order.name} could not be prepared: ${error.message}\n`)
    })
    process.send!('ready')
  }
})
process.on('disconnect', () => process.exit())
// Connections closed by the server are counted and otherwise ignored.
process.on('uncaughtException', (error) => attacker?.count(error.message.slice(0, 60)))
