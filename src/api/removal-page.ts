import { z } from 'zod'

/** The position at which a removal over several requests continues. */
export const removalPage = z.object({
  after: z.string().max(128).default('').describe("The 'next' of the previous response; omitted at first"),
})

/** The progress of a removal. */
export const removal = z
  .object({
    removed: z.int(),
    next: z.string().nullable().describe('Position for the next request; null: all is done'),
  })
  .meta({ id: 'Removal' })
