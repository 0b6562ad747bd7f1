import { route } from '../route.ts'
import { answerOf } from './functions.ts'

/**
 * POST /1.1/call/:name — runs a function like /1.1/functions, with typed parameters and results (protocol/cloud-code,
 * Encoding of /1.1/call/).
 */
export const typedCall = route({
  method: 'POST',
  path: '/1.1/call/:name',
  rate: 'functions',
  takesArguments: true,
  heavyFrom: Number.POSITIVE_INFINITY,
  handler: (call) => answerOf('call', call),
})
