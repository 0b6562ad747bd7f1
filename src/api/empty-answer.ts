import { z } from 'zod'

/** `{}`: the answer of an endpoint that only does something. */
export const emptyAnswer = z.object({})
