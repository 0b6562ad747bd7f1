import { z } from 'zod'

/** `{}`: the response of endpoints that return no data. */
export const emptyAnswer = z.object({})
