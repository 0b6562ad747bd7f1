import { z } from 'zod'

/** Where a removal of many goes on that takes several requests. */
export const removalPage = z.object({
  after: z.string().max(128).default('').describe("The 'next' of the answer before; missing at first"),
})

/** How far it came. */
export const removal = z
  .object({
    removed: z.int(),
    next: z.string().nullable().describe('Where the next request goes on; null: all is done'),
  })
  .meta({ id: 'Removal' })
