import { route } from '../route.ts'
import { answerOf } from './functions.ts'

/** POST /1.1/call/:name — the same as /1.1/functions, with typed parameters and results (spec/hooks, 9.4). */
export const typedCall = route('POST', '/1.1/call/:name', (call) => answerOf('call', call))
